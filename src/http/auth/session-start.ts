import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Ids } from '../../kernel/ids.js';
import type { Person } from '../../tables/people/people.js';
import { type Session, type SessionPurpose, Sessions } from '../../tables/people/sessions.js';
import { ownOriginCheck } from '../api/csrf.js';
import { ServiceUrls } from '../api/service-urls.js';
import { wantsPage } from '../pages/web-page.js';
import { clientNameOf } from './client-name.js';
import { hashSecret, makeSecret } from './secrets.js';
import { SessionCookie } from './session-cookie.js';

/** 30 days: what a session lasts at most. Seconds. */
const COOKIE_SECONDS = 30 * 86_400;

export type SignedIn = { readonly session: Session; readonly token: string };

/** Begins and ends sessions, and tells browsers. */
@Injectable()
export class SessionStart {
  readonly #cookie: SessionCookie;
  readonly #isOurs: ReturnType<typeof ownOriginCheck>;
  readonly #vouchedFor = new WeakSet<FastifyRequest>();

  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(ServiceUrls) urls: ServiceUrls,
  ) {
    this.#cookie = new SessionCookie(urls.baseUrl);
    this.#isOurs = ownOriginCheck(urls.baseUrl);
  }

  /** A new token at every sign-in; a browser that asked from one of our own pages, or by itself, gets the cookie. */
  async begin(request: FastifyRequest, reply: FastifyReply, person: Pick<Person, 'userId'>): Promise<SignedIn> {
    const signedIn = await this.#begin(request, person, wantsPage(request) ? 'browser' : 'program');
    this.#setCookie(request, reply, `${signedIn.token}; Max-Age=${COOKIE_SECONDS}`);
    return signedIn;
  }

  /** A session for a terminal that the person has let in. Whatever asked for it gets no cookie. */
  beginForTerminal(request: FastifyRequest, person: Pick<Person, 'userId'>): Promise<SignedIn> {
    return this.#begin(request, person, 'terminal');
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { session, headers } = request;
    if (session) await this.sessions.end(session.userId, session.sessionId);
    if (this.#cookie.isIn(headers.cookie)) this.#setCookie(request, reply, '; Max-Age=0');
  }

  /** Another site sent this request's browser to us, which has proven to be the one that began what ends here. */
  vouchFor(request: FastifyRequest): void {
    this.#vouchedFor.add(request);
  }

  async #begin(request: FastifyRequest, { userId }: Pick<Person, 'userId'>, purpose: SessionPurpose) {
    const token = makeSecret('session');
    const session = await this.sessions.begin({
      sessionId: this.ids.make('ses'),
      tokenHash: hashSecret(token),
      userId,
      client: clientNameOf(request),
      purpose,
    });
    return { session, token };
  }

  /**
   * As docs/interface.md, "Mailed links" has it: otherwise a page of another origin could sign its visitor out, or in
   * as somebody else.
   */
  #setCookie(request: FastifyRequest, reply: FastifyReply, value: string) {
    if (!this.#isOurs(request.headers) && !this.#vouchedFor.has(request)) return;
    const { name, attributes } = this.#cookie;
    void reply.header('set-cookie', `${name}=${value}; ${attributes}`);
  }
}
