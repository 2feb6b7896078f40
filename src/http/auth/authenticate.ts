import type { FastifyInstance } from 'fastify';
import type { Session } from '../../tables/people/sessions.js';
import type { Authentication } from './authentication.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of whoever is signed in; null for anybody else. */
    session: Session | null;
    /** SHA-256 of the edit token that came; null without one. */
    editTokenHash: string | null;
  }
}

/** Finds out who asks, before rates and rules do. Nest's guards, Passport's too, run after both. */
export function authenticateRequests(instance: FastifyInstance, authentication: Authentication) {
  instance.decorateRequest('session', null);
  instance.decorateRequest('editTokenHash', null);
  instance.addHook('onRequest', async (request) => {
    const { session, editTokenHash } = await authentication.recognise(request);
    request.session = session;
    request.editTokenHash = editTokenHash;
  });
}
