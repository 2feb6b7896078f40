import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import type { Session } from '../../../accounts/people/sessions.js';
import type { TokenHolder } from '../../../accounts/tokens/access-tokens.js';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import type { Caller } from '../../../kernel/command-context.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { innerCallerOf } from '../inner/inner-caller.js';
import { callerOf } from './context.js';
import { KnownAgents } from './known-agents.js';
import { hashSecret } from './secrets.js';
import { ACCESS_TOKEN } from './strategies/access-token-strategy.js';
import { bearerIn, connectorToken } from './strategies/bearer.js';
import { EDIT_TOKEN, type EditTokenHolder } from './strategies/edit-token-strategy.js';
import type { CredentialRequest } from './strategies/header-strategy.js';
import { SESSION } from './strategies/session-strategy.js';

export type Authenticated = {
  readonly session: Session | null;
  /** Whom an access token acts for; null where none was sent. A bearer is one of the two. */
  readonly token: TokenHolder | null;
  readonly editTokenHash: string | null;
};

/** Finds the caller by the credentials in the headers, with the Passport strategies that are registered. */
@Injectable()
export class Authentication {
  constructor(@Inject(KnownAgents) private readonly agents: KnownAgents) {}

  /** Refuses with `unauthenticated` if there is a bearer or an edit token that is malformed, or a bearer that is over. */
  async authenticate(request: CredentialRequest): Promise<Authenticated> {
    const holder = await authenticated<EditTokenHolder>(EDIT_TOKEN, request);
    const session = await authenticated<Session>(SESSION, request);
    const token = await authenticated<TokenHolder>(ACCESS_TOKEN, request);
    return { session, token, editTokenHash: holder?.editTokenHash ?? null };
  }

  /** The agent whose connector token is the bearer. Refuses with `unauthenticated` where it is none, or was revoked. */
  async agent({ headers }: CredentialRequest): Promise<Agent> {
    const token = connectorToken(bearerIn(headers.authorization));
    const agent = await this.agents.find(hashSecret(token));
    return (
      agent ??
      refuse(
        'unauthenticated',
        'This connector token is unknown or was revoked, or the user who created it is no longer an owner of the site.',
      )
    );
  }

  /**
   * The caller as of now, for connections that outlast a request: the session may have ended meanwhile. Refuses with
   * `unauthenticated`, as `authenticate` does.
   */
  async currentCaller(headers: CredentialRequest['headers']): Promise<Caller> {
    const { session, token, editTokenHash } = await this.authenticate({ headers });
    return { editTokenHash, userId: session?.userId ?? null, ...token };
  }

  /** The caller as of now, of a request that may be the service’s own: then the caller is not in its headers. */
  async callerNow(request: FastifyRequest): Promise<Caller> {
    return innerCallerOf(request.raw) ? callerOf(request) : this.currentCaller(request.headers);
  }
}

const OVER: Readonly<Record<string, string>> = {
  [SESSION]: 'This session is no longer valid. Sign in again.',
  [ACCESS_TOKEN]: 'This access token is unknown, has expired or was revoked. Create a new one.',
};

function authenticated<User>(strategy: string, { headers }: CredentialRequest): Promise<User | null> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, user: User | false | null) => {
      if (error) reject(error);
      else if (user) resolve(user);
      else reject(new Refusal('unauthenticated', OVER[strategy] ?? 'This credential is not valid.'));
    };
    // Passport expects Express. With a callback it only reads the headers, and answers nothing itself.
    passport.authenticate(strategy, { session: false }, done)({ headers }, undefined, (error: unknown) =>
      error ? reject(error) : resolve(null),
    );
  });
}
