import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { OAuthGrants } from '../../../accounts/grants/oauth-grants.js';
import { People } from '../../../accounts/people/people.js';
import type { Session } from '../../../accounts/people/sessions.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ReturnCookie } from '../../../edge/http/auth/cookies/return-cookie.js';
import { SessionStart } from '../../../edge/http/auth/session-start.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import { Ids } from '../../../kernel/ids.js';
import {
  AUTHORIZATION_PATHS,
  AuthorizationServer,
  type PendingConsent,
} from '../../../kernel/ports/outside/authorization-server.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { ChoosableSiteReader } from './choosable-sites.js';
import { consentPage, decidedPage, SITE_FIELD } from './consent.page.js';

const AGAIN = 'Start again in the app that sent you here.';

/**
 * Fields of the consent form. `as` is the ID of the user to whom the form was shown. There is also a field for each
 * chosen site.
 */
const Answer = z
  .object({
    as: z.string().max(64),
    decision: z.enum(['approve', 'deny', 'other']),
    sites: z.enum(['all', 'chosen']).default('all'),
  })
  .catchall(z.string().max(16));

const pathOf = (uid: string) => `${AUTHORIZATION_PATHS.consent}/${uid}`;

/** Shows and handles the consent page, which works only in the browser that the app opened. */
@ApiExcludeController()
@Controller(AUTHORIZATION_PATHS.consent)
class ConsentController {
  readonly #return: ReturnCookie;

  constructor(
    private readonly server: AuthorizationServer,
    private readonly grants: OAuthGrants,
    private readonly sites: ChoosableSiteReader,
    private readonly people: People,
    private readonly sessionStart: SessionStart,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
  ) {
    this.#return = new ReturnCookie(urls.baseUrl);
  }

  @Route({ page: true, problemPages: true, anotherLink: AGAIN })
  @ReadYourWrites()
  @Get(':uid')
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('uid') uid: string) {
    const pending = await this.#pending(uid, request);
    const { session } = request;
    if (!session) return this.#toSignIn(reply, uid);
    const person =
      (await this.people.find(session.userId)) ?? refuse('unauthenticated', 'This account no longer exists.');
    const sites = await this.sites.of(session.userId);
    return sendPage(request, reply, this.urls.baseUrl, consentPage({ person, pending, sites, action: pathOf(uid) }));
  }

  @Route({ form: true, page: true, problemPages: true, anotherLink: AGAIN })
  @ReadYourWrites()
  @Post(':uid')
  @HttpCode(200)
  async answer(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('uid') uid: string,
    @Body({ schema: Answer }) form: z.output<typeof Answer>,
  ) {
    const pending = await this.#pending(uid, request);
    const { session } = request;
    if (session && form.decision === 'other') {
      await this.sessionStart.end(request, reply);
      return this.#toSignIn(reply, uid);
    }
    // A different user has signed in in another tab since the form was shown. Show the page again for that user.
    if (session?.userId !== form.as) return reply.redirect(pathOf(uid), 303);
    // Terminal sessions can't approve apps, because such apps would keep their access after the terminal's session
    // ends.
    if (session.purpose === 'terminal') refuse('forbidden', 'Terminal sessions can’t approve apps. Use a browser.');
    const next =
      form.decision === 'approve'
        ? await this.#approve(uid, request, session, pending, form)
        : await this.server.deny(uid, request.headers.cookie);
    if (next === null) return over();
    // The page redirects by itself, because browsers check an HTTP redirect after a form submission against
    // `form-action` (docs/trials.md, "Untrusted pages beside an API").
    void reply.header('refresh', `0;url=${next}`);
    const page = decidedPage(form.decision === 'approve', pending, next);
    return sendPage(request, reply, this.urls.baseUrl, page);
  }

  async #approve(
    uid: string,
    { headers }: FastifyRequest,
    { userId }: Session,
    { clientId, clientName, scopes }: PendingConsent,
    form: z.output<typeof Answer>,
  ) {
    const sites = form.sites === 'all' ? null : await this.#chosen(userId, form);
    const grantId = this.ids.make('grt');
    await this.grants.give({ grantId, userId, clientId, clientName, scopes, sites });
    const next = await this.server.approve(uid, headers.cookie, grantId, userId);
    // The consent form was also submitted in another tab, which has already created a grant. End this second one.
    if (next === null) await this.grants.end(userId, grantId);
    return next;
  }

  async #chosen(userId: string, form: Readonly<Record<string, unknown>>) {
    const mine = await this.sites.of(userId);
    const chosen = mine.filter(({ siteId }) => form[`${SITE_FIELD}${siteId}`] !== undefined);
    if (chosen.length > 0) return chosen;
    return refuse(
      'invalid_request',
      'No sites are selected. Go back and select at least one, or choose all of your sites.',
      [{ path: 'sites', message: 'must include at least one of your sites' }],
    );
  }

  async #pending(uid: string, { headers }: FastifyRequest): Promise<PendingConsent> {
    return (await this.server.pending(uid, headers.cookie)) ?? over();
  }

  #toSignIn(reply: FastifyReply, uid: string) {
    this.#return.set(reply, pathOf(uid));
    return reply.redirect('/sign-in', 303);
  }
}

const over = (): never =>
  refuse(
    'invalid_token',
    'This request has expired, has already been approved or denied, or was started in another browser.',
  );

export const consent: Feature = { routes: [ConsentController], providers: [ChoosableSiteReader] };
