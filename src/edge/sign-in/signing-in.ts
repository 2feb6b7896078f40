import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Ids } from '../../kernel/ids.js';
import type { Person } from '../../kernel/people.js';
import { type Session, Sessions } from '../../kernel/sessions.js';
import { Addresses } from '../addresses.js';
import { comesFromUs } from '../forged-writes.js';
import { hashSecret, makeSecret } from '../secrets.js';
import { SessionCookie } from './session-cookie.js';

/** 30 days: what a session lasts at most. Seconds. */
const COOKIE_SECONDS = 30 * 86_400;

export type SignedIn = { readonly session: Session; readonly token: string };

/** Begins and ends sessions, and tells browsers. */
@Injectable()
export class SigningIn {
  readonly #cookie: SessionCookie;
  readonly #isOurs: ReturnType<typeof comesFromUs>;

  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Ids) private readonly ids: Ids,
    @Inject(Addresses) addresses: Addresses,
  ) {
    this.#cookie = new SessionCookie(addresses.baseUrl);
    this.#isOurs = comesFromUs(addresses.baseUrl);
  }

  /** A new token at every sign-in; a browser that asked from one of our own pages, or by itself, gets the cookie. */
  async begin(request: FastifyRequest, reply: FastifyReply, { userId }: Pick<Person, 'userId'>): Promise<SignedIn> {
    const token = makeSecret('session');
    const session = await this.sessions.begin({
      sessionId: this.ids.make('ses'),
      tokenHash: hashSecret(token),
      userId,
      client: clientOf(request),
    });
    this.#setCookie(request, reply, `${token}; Max-Age=${COOKIE_SECONDS}`);
    return { session, token };
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { session, headers } = request;
    if (session) await this.sessions.end(session.userId, session.sessionId);
    if (this.#cookie.isIn(headers.cookie)) this.#setCookie(request, reply, '; Max-Age=0');
  }

  /** Contract, section 5: otherwise a page of another origin could sign its visitor out, or in as somebody else. */
  #setCookie(request: FastifyRequest, reply: FastifyReply, value: string) {
    if (!this.#isOurs(request.headers)) return;
    const { name, attributes } = this.#cookie;
    void reply.header('set-cookie', `${name}=${value}; ${attributes}`);
  }
}

function clientOf({ headers }: FastifyRequest): string | null {
  const agent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').trim();
  return agent ? agent.slice(0, 200) : null;
}
