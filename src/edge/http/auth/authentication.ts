import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import type { Session } from '../../../accounts/people/sessions.js';
import type { TokenHolder } from '../../../accounts/tokens/access-tokens.js';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import type { Caller } from '../../../kernel/command-context.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { findInnerCaller } from '../inner/inner-caller.js';
import { readCaller } from './context.js';
import { KnownAgents } from './known-agents.js';
import { hashSecret } from './secrets.js';
import { ACCESS_TOKEN } from './strategies/access-token-strategy.js';
import { parseBearer, parseConnectorToken } from './strategies/bearer.js';
import { EDIT_TOKEN, type EditTokenHolder } from './strategies/edit-token-strategy.js';
import type { CredentialRequest } from './strategies/header-strategy.js';
import { SESSION } from './strategies/session-strategy.js';

export type Authenticated = {
  readonly session: Session | null;
  /** The user for whom an access token acts, or null. A bearer token is either a session token or an access token. */
  readonly token: TokenHolder | null;
  readonly editTokenHash: string | null;
};

@Injectable()
export class Authentication {
  constructor(private readonly agents: KnownAgents) {}

  /** Refuses with `unauthenticated` if any token is malformed, or if the bearer token expired or was revoked. */
  async authenticate(request: CredentialRequest): Promise<Authenticated> {
    const holder = await authenticated<EditTokenHolder>(EDIT_TOKEN, request);
    const session = await authenticated<Session>(SESSION, request);
    const token = await authenticated<TokenHolder>(ACCESS_TOKEN, request);
    return { session, token, editTokenHash: holder?.editTokenHash ?? null };
  }

  /** Returns the agent of the connector token. Refuses with `unauthenticated` if the token is missing or invalid. */
  async agent({ headers }: CredentialRequest): Promise<Agent> {
    const token = parseConnectorToken(parseBearer(headers.authorization));
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
   * Returns the caller of an open connection as of now, because the caller's session may have ended since. Refuses with
   * `unauthenticated` if a credential is no longer valid.
   */
  async currentCaller(headers: CredentialRequest['headers']): Promise<Caller> {
    const { session, token, editTokenHash } = await this.authenticate({ headers });
    return {
      editTokenHash,
      userId: session?.userId ?? null,
      ...(session && { sessionId: session.sessionId }),
      ...token,
    };
  }

  /**
   * Returns the current caller of a request. For an internal request, returns the caller set by `markInner`, because
   * its headers contain no credentials.
   */
  async callerNow(request: FastifyRequest): Promise<Caller> {
    return findInnerCaller(request.raw) ? readCaller(request) : this.currentCaller(request.headers);
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
    // Passport expects Express. With a callback, it only reads the headers and does not respond.
    passport.authenticate(strategy, { session: false }, done)({ headers }, undefined, (error: unknown) =>
      error ? reject(error) : resolve(null),
    );
  });
}
