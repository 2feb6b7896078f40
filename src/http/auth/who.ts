import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../kernel/refusal.js';
import type { Session } from '../../tables/people/sessions.js';

/** The session of whoever asks; refuses with `unauthenticated` without one. */
export const SignedInAs = createParamDecorator((_: unknown, context: ExecutionContext): Session => {
  const { session } = context.switchToHttp().getRequest<FastifyRequest>();
  return session ?? refuse('unauthenticated', 'Sign in first: POST /v1/auth/start with your e-mail address.');
});
