import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Session } from '../../../accounts/people/sessions.js';
import type { TokenHolder } from '../../../accounts/tokens/access-tokens.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../kernel/refusal.js';
import { attachTrait } from '../api/description/api-extension.js';
import type { OperationTraits } from '../api/description/operation-traits.js';
import { readRouteOptions } from '../api/route-options.js';

export const readCaller = (request: FastifyRequest): Caller => ({
  userId: request.session?.userId ?? null,
  // The request of a connected app has a made-up session (`authenticateRequests`).
  ...(request.session && !request.grant && { sessionId: request.session.sessionId }),
  ...request.accessToken,
  ...request.grant?.caller,
  editTokenHash: request.editTokenHash,
});

const ContextOf = createParamDecorator((_: unknown, context: ExecutionContext): CommandContext => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { at: new Date().toISOString(), caller: readCaller(request) };
});

const SessionOf = createParamDecorator((_: unknown, context: ExecutionContext): Session => {
  const { session, accessToken, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
  if (session) return session;
  if (!accessToken) return refuse('unauthenticated', 'Sign in first: POST /v1/auth/start with your email address.');
  const { tokens } = readRouteOptions(routeOptions);
  if (tokens === 'any' || (tokens === 'of-person' && accessToken.delegation.memberIds === null))
    return sessionOf(accessToken);
  return refuse(
    'forbidden',
    tokens ? 'Access tokens for a single site can’t do this.' : 'Access tokens can’t do this. Sign in instead.',
  );
});

/**
 * Returns a session of the user for whom the script makes the call. The restrictions of the script’s token are not in
 * the session, but in `Caller`.
 */
function sessionOf({ userId, delegation }: TokenHolder): Session {
  const now = new Date().toISOString();
  return {
    sessionId: delegation.id,
    userId,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now,
    client: null,
    purpose: 'program',
  };
}

const RevisionOf = createParamDecorator((_: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const revision = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(header)?.[1];
  if (revision === undefined) {
    return refuseInvalid({ path: 'if-match', message: 'must be the ETag of the site, such as "7"' });
  }
  return Number(revision);
});

type ParameterTrait = keyof Pick<OperationTraits, 'x-takes-caller' | 'x-takes-session' | 'x-takes-if-match'>;

const described =
  <Trait extends ParameterTrait>(
    trait: Trait,
    value: OperationTraits[Trait],
    parameter: () => ParameterDecorator,
  ): ParameterDecorator =>
  (target, key, index) => {
    if (key !== undefined) attachTrait(trait, value)(target, key);
    parameter()(target, key, index);
  };

/** Injects the current time (RFC 3339) and the caller. */
export const Context = () => described('x-takes-caller', true, ContextOf);

/**
 * Injects the caller’s session. Refuses with `unauthenticated` without a session, and with `forbidden` for access
 * tokens except on routes that accept them (`Route({ tokens })`).
 */
export const RequireSession = () => described('x-takes-session', true, SessionOf);

/**
 * Injects the revision in `If-Match`, or null if the header is missing or `*` (RFC 9110 section 13.1.1). Refuses any
 * other value with `invalid_request`. Only reads the revision; rules compare it with the site’s. `failsIf` describes
 * the changes that make the request fail.
 */
export const IfMatch = ({ failsIf }: { readonly failsIf: string }) =>
  described('x-takes-if-match', failsIf, RevisionOf);
