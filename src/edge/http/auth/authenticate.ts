import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Session } from '../../../accounts/people/sessions.js';
import type { TokenHolder } from '../../../accounts/tokens/access-tokens.js';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import type { OAuthGrant } from '../../../kernel/ports/oauth-grants.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { readRouteOptions } from '../api/route-options.js';
import { findInnerCaller } from '../inner/inner-caller.js';
import type { Authentication } from './authentication.js';
import type { Operator } from './operator.js';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | null;
    /** The user for whom the request's access token acts. */
    accessToken: TokenHolder | null;
    /** SHA-256 hash of the request's edit token in hexadecimal. */
    editTokenHash: string | null;
    /** The agent that sent the connector token. Only on routes for agents. */
    agent: Agent | null;
    /** The rights of the connected app for which the service sends an internal request. Null for external requests. */
    grant: OAuthGrant | null;
  }
}

/**
 * Authenticates each request before rate limits and rules run, because Nest's guards would run too late. Refuses an
 * invalid credential even where none is needed, because the request was not meant to be anonymous.
 */
export function authenticateRequests(instance: FastifyInstance, authentication: Authentication, operator: Operator) {
  instance.decorateRequest('session', null);
  instance.decorateRequest('accessToken', null);
  instance.decorateRequest('editTokenHash', null);
  instance.decorateRequest('agent', null);
  instance.decorateRequest('grant', null);
  instance.addHook('onRequest', async (request) => {
    const { agent: isForAgents, siteHost, sameForAll, grants } = readRouteOptions(request.routeOptions);
    if (siteHost) return;
    assertOneBearer(request);
    if (operator.isCallerOf(request)) {
      if (readRouteOptions(request.routeOptions).operator) return;
      refuse('unauthenticated', 'This is the admin token. It is only valid for operator endpoints.');
    }
    if (isForAgents) {
      request.agent = await authentication.agent(request);
      return;
    }
    if (grants) return;
    if (sameForAll) return assertNoDeadBearer(authentication, request);
    const { session, token, editTokenHash } = await authentication.authenticate(request);
    request.grant = findInnerCaller(request.raw)?.grant ?? null;
    request.session = request.grant ? sessionOf(request.grant) : session;
    request.accessToken = token;
    request.editTokenHash = editTokenHash;
  });
}

/** Refuses an invalid bearer token and ignores a valid one. For routes whose response is the same for everyone. */
async function assertNoDeadBearer(authentication: Authentication, { headers }: FastifyRequest): Promise<void> {
  const { cookie: _, ...others } = headers;
  try {
    await authentication.authenticate({ headers: others });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') throw error;
  }
}

/**
 * Returns a session of the user for whom the connected app makes the call. The restrictions of the app are not in the
 * session, but in `Caller`.
 */
function sessionOf({ grantId, userId, clientName }: OAuthGrant): Session {
  const now = new Date().toISOString();
  return {
    sessionId: grantId,
    userId,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now,
    client: clientName,
    purpose: 'program',
  };
}

/** Refuses a request with several `authorization` headers, because Node keeps only the first. */
function assertOneBearer({ headers, raw }: FastifyRequest) {
  if (headers.authorization === undefined) return;
  const names = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization');
  if (names.length > 1) refuse('unauthenticated', 'The request has several Authorization headers. Send only one.');
}
