import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type LinkPurpose,
  type MailedLink,
  MailedLinkStore,
  type NewLink,
} from '../../../../accounts/people/mailed-links.js';
import { refuse } from '../../../../kernel/refusal.js';
import { html, type Markup } from '../../../browser/markup.js';
import { ownOriginCheck } from '../../api/csrf.js';
import { ServiceUrls } from '../../api/service-urls.js';
import { sendPage, wantsPage, webPage } from '../../pages/web-page.js';
import { isPrefetch } from './is-prefetch.js';
import { LinkTokens } from './link-tokens.js';
import { LoginCookie } from './login-cookie.js';
import { refuseInUse } from './refuse-in-use.js';

const COOKIE_SECONDS = 600;

/** The page that asks for a click when a link is opened in a browser other than the one that requested it. */
export type ConfirmationPage = {
  readonly purpose: LinkPurpose;
  readonly path: string;
  readonly title: string;
  /** Text that says what the click does, and for whom. May depend on the link. */
  readonly text: Markup | ((link: MailedLink) => Markup | Promise<Markup>);
  readonly button: string;
};

/**
 * Links in emails (docs/interface/accounts.md, "Emailed links"). In the browser that requested it, a link takes
 * effect immediately. Elsewhere, a page first requires a click, because a mail scanner might have opened the link. HEAD
 * and prefetch requests do not use up a link.
 */
@Injectable()
export class MagicLink {
  readonly #cookie: LoginCookie;
  readonly #isOwnOrigin: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly links: MailedLinkStore,
    private readonly tokens: LinkTokens,
    private readonly urls: ServiceUrls,
  ) {
    this.#cookie = new LoginCookie(urls.baseUrl, COOKIE_SECONDS);
    this.#isOwnOrigin = ownOriginCheck(urls.baseUrl);
  }

  /**
   * Creates a link that is valid until `expiresAt` (RFC 3339), and a code for use on another device. The browser gets
   * the cookie if one of our own pages sent the request.
   */
  async make(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    link: Omit<NewLink, 'browserHash'>,
  ): Promise<{ readonly href: string; readonly code: string; readonly expiresAt: string }> {
    // If pages of other origins also got the cookie, they could request a link that this browser would then open
    // without a click.
    const browserHash = this.#isOwnOrigin(request.headers) ? this.#cookie.issue(request, reply) : null;
    return this.#link(path, { ...link, browserHash });
  }

  /** Creates a link for another person. Every browser requires a click, because none of them requested the link. */
  makeForOther(path: string, link: Omit<NewLink, 'browserHash'>) {
    return this.#link(path, { ...link, browserHash: null });
  }

  /** Returns the contents of a link without using it up. Refuses with `invalid_token`. */
  async peek(purpose: LinkPurpose, token: string): Promise<MailedLink> {
    const secret = this.tokens.secretIn(token);
    return (secret === null ? null : await this.links.look(purpose, secret)) ?? refuseLink();
  }

  async #link(path: string, link: NewLink) {
    const { secret, code, expiresAt } = await this.links.make(link);
    const href = `${this.urls.baseUrl}${path}?token=${this.tokens.sign(secret, expiresAt)}`;
    return { href, code, expiresAt };
  }

  /**
   * Runs `work`, uses up the link and sends the response that `work` prepared. If a click is required first, only sends
   * a page with a button. Refuses with `invalid_token` if the link is invalid, with `conflict` while another request
   * runs `work`, and with `cross_origin` if the form was on a page of another origin. If `work` fails, the link can be
   * opened again.
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    confirmationPage: ConfirmationPage,
    work: (link: MailedLink) => Promise<() => FastifyReply>,
  ): Promise<FastifyReply> {
    const secret = this.tokens.secretIn(token);
    if (request.method === 'POST') {
      if (wantsPage(request) && !this.#isOwnOrigin(request.headers))
        refuse('cross_origin', 'This form was not sent from one of this service’s pages.');
    } else if (isPrefetch(request) || wantsPage(request)) {
      // Look up the link before showing a page, so that no page has a button for an invalid link.
      const found = secret === null ? null : await this.links.look(confirmationPage.purpose, secret);
      if (!found) return refuseLink();
      if (isPrefetch(request) || !this.#isRequestingBrowser(request, found.browserHash)) {
        await sendPage(request, reply, this.urls.baseUrl, await renderConfirmationPage(confirmationPage, token, found));
        return reply;
      }
    }
    const used = secret === null ? null : await this.links.use(confirmationPage.purpose, secret, work);
    if (used?.kind === 'held') return refuseInUse(reply, used, 'This link');
    return used ? used.result() : refuseLink();
  }

  #isRequestingBrowser(request: FastifyRequest, browserHash: string | null): boolean {
    return browserHash !== null && this.#isOwnOrigin(request.headers) && this.#cookie.hashIn(request) === browserHash;
  }
}

const refuseLink = () => refuse('invalid_token', 'This link is unknown, has expired or was already used.');

const renderConfirmationPage = async (
  { path, title, text, button }: ConfirmationPage,
  token: string,
  link: MailedLink,
) =>
  webPage(
    title,
    html`${typeof text === 'function' ? await text(link) : text}
<form method="post" action="${path}">
<input type="hidden" name="token" value="${token}">
<button>${button}</button>
</form>`,
  );
