import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Person } from '../../../accounts/people/people.js';
import { type Session, type SessionPurpose, SessionStore } from '../../../accounts/people/sessions.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { ServiceUrls } from '../api/service-urls.js';
import { wantsPage } from '../pages/web-page.js';
import { readClientName } from './client-name.js';
import { SessionCookie } from './cookies/session-cookie.js';
import { hashSecret, makeSecret } from './secrets.js';

/** Lifetime of the session cookie, and maximum lifetime of a session. */
const COOKIE_SECONDS = 30 * 86_400;

export type SignedIn = { readonly session: Session; readonly token: string };

@Injectable()
export class SessionStart {
  readonly #log = new Logger('Signed in');
  readonly #cookie: SessionCookie;
  readonly #isOwnOrigin: ReturnType<typeof ownOriginCheck>;
  readonly #vouchedFor = new WeakSet<FastifyRequest>();

  constructor(
    private readonly sessions: SessionStore,
    private readonly ids: Ids,
    urls: ServiceUrls,
  ) {
    this.#cookie = new SessionCookie(urls.baseUrl);
    this.#isOwnOrigin = ownOriginCheck(urls.baseUrl);
  }

  /**
   * Starts a session with a new token. A browser gets the cookie unless another origin's page sent the request. `once`
   * is the ID of a single-use item; a retry with the same ID continues the first attempt's session.
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

  /** Starts a session for a terminal that the user has approved. Sets no cookie. */
  beginForTerminal(request: FastifyRequest, person: Pick<Person, 'userId'>, once: string): Promise<SignedIn> {
    return this.#begin(request, person, 'terminal', once);
  }

  /** Ends the request's session, if any, and removes the cookie. Refuses an access token with `forbidden`. */
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
   * Allows setting the cookie even though another site sent the browser here. Call this only if this browser has
   * started the sign-in.
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
      client: readClientName(request),
      purpose,
    });
    // Log sign-ins as warnings, because only warnings are logged while the service runs. The line contains no text from
    // the caller, who could otherwise forge log lines.
    this.#log.warn(`${userId} by a ${purpose}: ${session.sessionId}, ${request.id}`);
    return { session, token };
  }

  /**
   * Sets the cookie only for requests from our own pages, because other pages must not sign a visitor out or in as
   * another user (docs/interface/accounts.md, "Emailed links").
   */
  #setCookie(request: FastifyRequest, reply: FastifyReply, value: string) {
    if (!this.#isOwnOrigin(request.headers) && !this.#vouchedFor.has(request)) return;
    const { name, attributes } = this.#cookie;
    void reply.header('set-cookie', `${name}=${value}; ${attributes}`);
  }
}
