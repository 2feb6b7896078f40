import { Injectable } from '@nestjs/common';
import passport from 'passport';
import type { Caller } from '../../kernel/command-context.js';
import type { Session } from '../../kernel/ports/sessions.js';
import { Refusal } from '../../kernel/refusal.js';
import { EDIT_TOKEN, type Holder } from './edit-token-strategy.js';
import type { Asking } from './header-strategy.js';
import { SESSION } from './session-strategy.js';

export type Recognised = { readonly session: Session | null; readonly editTokenHash: string | null };

/** Who sent these headers, by the strategies that Passport has been given. */
@Injectable()
export class Callers {
  /** Refuses with `unauthenticated` for the bearer of a session that is over. */
  async recognise(asking: Asking): Promise<Recognised> {
    const holder = await authenticated<Holder>(EDIT_TOKEN, asking);
    const session = await authenticated<Session>(SESSION, asking);
    return { session, editTokenHash: holder?.editTokenHash ?? null };
  }

  /** As of now, for what lasts longer than a request: a session may have ended meanwhile. Refuses as `recognise`. */
  async now(headers: Asking['headers']): Promise<Caller> {
    const { session, editTokenHash } = await this.recognise({ headers });
    return { editTokenHash, userId: session?.userId ?? null };
  }
}

function authenticated<User>(strategy: string, { headers }: Asking): Promise<User | null> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, user: User | false | null) => {
      if (error) reject(error);
      else if (user) resolve(user);
      else reject(new Refusal('unauthenticated', 'This session is over, or was ended. Sign in again.'));
    };
    // Passport speaks to Express. With a callback it reads the headers and answers nothing itself.
    passport.authenticate(strategy, { session: false }, done)({ headers }, undefined, (error: unknown) =>
      error ? reject(error) : resolve(null),
    );
  });
}
