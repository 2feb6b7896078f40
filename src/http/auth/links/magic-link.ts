import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { type LinkPurpose, type MailedLink, MailedLinks, type NewLink } from '../../../tables/people/mailed-links.js';
import { ownOriginCheck } from '../../api/csrf.js';
import { ServiceUrls } from '../../api/service-urls.js';
import { html, type Markup, sendPage, wantsPage, webPage } from '../../pages/web-page.js';
import { isPrefetch } from './is-prefetch.js';
import { LinkTokens } from './link-tokens.js';
import { LoginCookie } from './login-cookie.js';

/** Until when the browser that asked is known by its cookie. Seconds. */
const COOKIE_SECONDS = 600;

/** What somebody is shown who opens a link anywhere but in the browser that asked for it. */
export type ConfirmationPage = {
  readonly purpose: LinkPurpose;
  readonly path: string;
  readonly title: string;
  readonly text: string | Markup;
  readonly button: string;
};

/**
 * Links in mails (docs/interface.md, "Mailed links"): opened by the browser that asked, a link does its work at once;
 * anywhere else, where a mail scanner may be the one that opens it, a page asks for a click first. Nothing that only
 * looks (HEAD, prefetch) uses a link up.
 */
@Injectable()
export class MagicLink {
  readonly #cookie: LoginCookie;
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;

  constructor(
    @Inject(MailedLinks) private readonly links: MailedLinks,
    @Inject(LinkTokens) private readonly tokens: LinkTokens,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {
    this.#cookie = new LoginCookie(urls.baseUrl, COOKIE_SECONDS);
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  /** A link to send, and the code for another device. The browser that asks from one of our pages gets its cookie. */
  async make(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    link: Omit<NewLink, 'browserHash'>,
  ): Promise<{ readonly href: string; readonly code: string; readonly expiresAt: string }> {
    // A page elsewhere could have its own link opened here, without a click, as if this browser had asked for it.
    const browserHash = this.#isOurs(request.headers) ? this.#cookie.give(request, reply) : null;
    return this.#link(path, { ...link, browserHash });
  }

  /** A link for somebody else, whose browser did not ask for it: every browser is shown the button first. */
  makeForOther(path: string, link: Omit<NewLink, 'browserHash'>) {
    return this.#link(path, { ...link, browserHash: null });
  }

  /** What the link holds, without using it up. Refuses with `invalid_token`. */
  async look(purpose: LinkPurpose, token: string): Promise<MailedLink> {
    const secret = this.tokens.secretIn(token);
    return (secret === null ? null : await this.links.look(purpose, secret)) ?? refuseLink();
  }

  async #link(path: string, link: NewLink) {
    const { secret, code, expiresAt } = await this.links.make(link);
    const href = `${this.urls.baseUrl}${path}?token=${this.tokens.sign(secret, expiresAt)}`;
    return { href, code, expiresAt };
  }

  /** What the link holds, used up by this; null where the page with the button was sent instead. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    confirmationPage: ConfirmationPage,
  ): Promise<MailedLink | null> {
    const secret = this.tokens.secretIn(token);
    if (request.method === 'POST') {
      if (wantsPage(request) && !this.#isOurs(request.headers))
        refuse('cross_origin', 'This form is not on a page of ours.');
    } else if (isPrefetch(request) || wantsPage(request)) {
      // Looked at first, so that nobody is shown a button that cannot work any more.
      const found = secret === null ? null : await this.links.look(confirmationPage.purpose, secret);
      if (!found) return refuseLink();
      if (isPrefetch(request) || !this.#asked(request, found.browserHash)) {
        await sendPage(request, reply, this.urls.baseUrl, renderConfirmationPage(confirmationPage, token));
        return null;
      }
    }
    const link = secret === null ? null : await this.links.use(confirmationPage.purpose, secret);
    return link ?? refuseLink();
  }

  #asked(request: FastifyRequest, browserHash: string | null): boolean {
    return browserHash !== null && this.#isOurs(request.headers) && this.#cookie.hashIn(request) === browserHash;
  }
}

const refuseLink = () => refuse('invalid_token', 'This link is unknown, was used before, or its time is over.');

const renderConfirmationPage = ({ path, title, text, button }: ConfirmationPage, token: string) =>
  webPage(
    title,
    html`${typeof text === 'string' ? html`<p>${text}</p>` : text}
<form method="post" action="${path}">
<input type="hidden" name="token" value="${token}">
<button>${button}</button>
</form>`,
  );
