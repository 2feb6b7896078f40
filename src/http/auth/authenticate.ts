import type { FastifyInstance } from 'fastify';
import type { Session } from '../../kernel/ports/sessions.js';
import type { Callers } from './authentication.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of whoever is signed in; null for anybody else. */
    session: Session | null;
    /** SHA-256 of the edit token that came; null without one. */
    editTokenHash: string | null;
  }
}

/** Finds out who asks, before rates and rules do. Nest's guards, Passport's too, run after both. */
export function recogniseCallers(instance: FastifyInstance, callers: Callers) {
  instance.decorateRequest('session', null);
  instance.decorateRequest('editTokenHash', null);
  instance.addHook('onRequest', async (request) => {
    const { session, editTokenHash } = await callers.recognise(request);
    request.session = session;
    request.editTokenHash = editTokenHash;
  });
}
