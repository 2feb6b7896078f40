import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Passport } from 'passport';
import { Refusal } from '../../kernel/refusal.js';
import type { Session, Sessions } from '../../kernel/sessions.js';
import { SessionCookie } from './session-cookie.js';
import { SessionStrategy } from './session-strategy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of whoever is signed in; null for anybody else. */
    session: Session | null;
  }
}

/** Finds out who is signed in, before rates and rules ask. An edit token needs no finding out: its hash is all. */
export function recogniseCallers(instance: FastifyInstance, sessions: Sessions, baseUrl: string) {
  const recognise = recogniser(sessions, baseUrl);

  instance.decorateRequest('session', null);
  instance.addHook('onRequest', async (request) => {
    request.session = await recognise(request);
  });
}

/** Tells whose session came with a request; null for none. Refuses with `unauthenticated` for a bearer that is over. */
export function recogniser(sessions: Sessions, baseUrl: string) {
  const passport = new Passport();
  passport.use(new SessionStrategy(sessions, new SessionCookie(baseUrl)));
  return (request: { readonly headers: IncomingHttpHeaders }) => authenticated(passport, request);
}

function authenticated(
  passport: InstanceType<typeof Passport>,
  request: { readonly headers: IncomingHttpHeaders },
): Promise<Session | null> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, session: Session | false | null) => {
      if (error) reject(error);
      else if (session) resolve(session);
      else reject(new Refusal('unauthenticated', 'This session is over, or was ended. Sign in again.'));
    };
    // Passport speaks to Express. With a callback it reads the headers and answers nothing itself.
    passport.authenticate('session-token', { session: false }, done)(request, undefined, (error: unknown) =>
      error ? reject(error) : resolve(null),
    );
  });
}
