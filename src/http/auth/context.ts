import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller, Given } from '../../kernel/command-context.js';
import { refuse } from '../../kernel/refusal.js';

/** Who asks, found in the headers. Whether they may is for the rule to say. */
export const callerOf = (request: FastifyRequest): Caller => ({
  editTokenHash: request.editTokenHash,
  userId: request.session?.userId ?? null,
});

export const By = createParamDecorator((_: unknown, context: ExecutionContext): Given => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { at: new Date().toISOString(), caller: callerOf(request) };
});

/** The revision that `If-Match` asks for; null without one, or for `*` (RFC 9110 section 13.1.1). */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const revision = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(header)?.[1];
  if (revision === undefined) {
    return refuse('invalid_request', 'If-Match takes the site’s etag, such as "7".', [
      { path: 'if-match', message: 'is not an etag of a site' },
    ]);
  }
  return Number(revision);
});
