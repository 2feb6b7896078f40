import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Person } from '../../../accounts/people/people.js';
import { type Session, type SessionPurpose, Sessions } from '../../../accounts/people/sessions.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { ServiceUrls } from '../api/service-urls.js';
import { wantsPage } from '../pages/web-page.js';
import { clientNameOf } from './client-name.js';
import { SessionCookie } from './cookies/session-cookie.js';
import { hashSecret, makeSecret } from './secrets.js';

/** The longest that a session lasts: 30 days, in seconds. */
const COOKIE_SECONDS = 30 * 86_400;

export type SignedIn = { readonly session: Session; readonly token: string };

/** Begins and ends sessions, tells the operator of each that begins, and sets the browser’s cookie. */
@Injectable()
export class SessionStart {
  readonly #log = new Logger('Signed in');
  readonly #cookie: SessionCookie;
  readonly #isOwnOrigin: ReturnType<typeof ownOriginCheck>;
  readonly #vouchedFor = new WeakSet<FastifyRequest>();

  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(ServiceUrls) urls: ServiceUrls,
  ) {
    this.#cookie = new SessionCookie(urls.baseUrl);
    this.#isOwnOrigin = ownOriginCheck(urls.baseUrl);
  }

  /**
   * Begins a session with a new token. A browser gets the cookie if one of our own pages, or no page, made the request.
   * What works once brings its id as `once`: tried again it goes on with the session that it began.
   */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    person: Pick<Person, 'userId'>,
    once?: string,
  ): Promise<SignedIn> {
    const signedIn = await this.#begin(request, person, wantsPage(request) ? 'browser' : 'program', once);
    this.#setCookie(request, reply, `${signedIn.token}; Max-Age=${COOKIE_SECONDS}`);
    return signedIn;
  }

  /** Begins a session for a terminal that the person has approved, `once` as in `begin`. It sets no cookie. */
  beginForTerminal(request: FastifyRequest, person: Pick<Person, 'userId'>, once: string): Promise<SignedIn> {
    return this.#begin(request, person, 'terminal', once);
  }

  /** Ends the session of the request, if it has one, and removes the cookie. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { session, accessToken, headers } = request;
    if (accessToken)
      refuse(
        'forbidden',
        'An access token has no session to end. Revoke it with DELETE /v1/me/tokens/{id} or /v1/sites/{slug}/tokens/{id}.',
      );
    if (session) await this.sessions.end(session.userId, session.sessionId);
    if (this.#cookie.isIn(headers.cookie)) this.#setCookie(request, reply, '; Max-Age=0');
  }

  /**
   * Lets a request get the cookie though another site sent the browser here: the browser has proven that it began this
   * sign-in.
   */
  vouchFor(request: FastifyRequest): void {
    this.#vouchedFor.add(request);
  }

  async #begin(
    request: FastifyRequest,
    { userId }: Pick<Person, 'userId'>,
    purpose: SessionPurpose,
    once: string | undefined,
  ) {
    const token = makeSecret('session');
    const session = await this.sessions.begin({
      sessionId: once === undefined ? this.ids.make('ses') : this.ids.of('ses', once),
      tokenHash: hashSecret(token),
      userId,
      client: clientNameOf(request),
      purpose,
    });
    // A warning, as all that is told while the service runs. Nothing in it is the caller’s own text.
    this.#log.warn(`${userId} by a ${purpose}: ${session.sessionId}, ${request.id}`);
    return { session, token };
  }

  /**
   * Only for our own pages (docs/interface/accounts.md, "E-mailed links"): otherwise a page of another origin could
   * sign its visitor out, or in as another person.
   */
  #setCookie(request: FastifyRequest, reply: FastifyReply, value: string) {
    if (!this.#isOwnOrigin(request.headers) && !this.#vouchedFor.has(request)) return;
    const { name, attributes } = this.#cookie;
    void reply.header('set-cookie', `${name}=${value}; ${attributes}`);
  }
}
