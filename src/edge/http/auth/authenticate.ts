import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Session } from '../../../accounts/people/sessions.js';
import type { TokenHolder } from '../../../accounts/tokens/access-tokens.js';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import type { AgentGrant } from '../../../kernel/ports/agent-grants.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { optionsOf } from '../api/route-options.js';
import { innerCallerOf } from '../inner/inner-caller.js';
import type { Authentication } from './authentication.js';
import type { Operator } from './operator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a signed-in caller; null for any other. */
    session: Session | null;
    /** Whom the access token in the request acts for; null without one. */
    accessToken: TokenHolder | null;
    /** SHA-256 of the edit token in the request, in hexadecimal; null without one. */
    editTokenHash: string | null;
    /** Whose connector token was sent, on routes for agents; null on any other. */
    agent: Agent | null;
    /** What the program may do that the service asks itself for; null for a request from outside. */
    grant: AgentGrant | null;
  }
}

/**
 * Authenticates each request before rate limits and rules see it. Nest’s guards, Passport’s too, would run after both.
 * A credential that is there and does not hold is refused on every route, also where none is needed: what was meant to
 * be a person’s is never done as a stranger’s.
 */
export function authenticateRequests(instance: FastifyInstance, authentication: Authentication, operator: Operator) {
  instance.decorateRequest('session', null);
  instance.decorateRequest('accessToken', null);
  instance.decorateRequest('editTokenHash', null);
  instance.decorateRequest('agent', null);
  instance.decorateRequest('grant', null);
  instance.addHook('onRequest', async (request) => {
    const { agent: isForAgents, siteHost, sameForAll, grants } = optionsOf(request.routeOptions);
    if (siteHost) return;
    assertOneBearer(request);
    if (operator.isCallerOf(request)) {
      if (optionsOf(request.routeOptions).operator) return;
      refuse('unauthenticated', 'This is the admin token. It is only valid for operator endpoints.');
    }
    if (isForAgents) {
      request.agent = await authentication.agent(request);
      return;
    }
    if (grants) return;
    if (sameForAll) return assertNoDeadBearer(authentication, request);
    const { session, token, editTokenHash } = await authentication.authenticate(request);
    request.grant = innerCallerOf(request.raw)?.grant ?? null;
    request.session = request.grant ? sessionOf(request.grant) : session;
    request.accessToken = token;
    request.editTokenHash = editTokenHash;
  });
}

/** A bearer that is known not to hold is refused as everywhere; nothing more is made of one that holds. */
async function assertNoDeadBearer(authentication: Authentication, { headers }: FastifyRequest): Promise<void> {
  const { cookie: _, ...others } = headers;
  try {
    await authentication.authenticate({ headers: others });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') throw error;
  }
}

/** The session of a person whose program calls, as if they called themselves; `Caller` says that it may do less. */
function sessionOf({ grantId, userId, clientName }: AgentGrant): Session {
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

/** Node reads the first of several `authorization` headers and passes over the rest. */
function assertOneBearer({ headers, raw }: FastifyRequest) {
  if (headers.authorization === undefined) return;
  const names = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization');
  if (names.length > 1) refuse('unauthenticated', 'The request has several Authorization headers. Send only one.');
}
