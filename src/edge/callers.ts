import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../kernel/caller.js';
import type { Sessions } from '../kernel/sessions.js';
import { editTokenHashOf } from './caller.js';
import { recogniser } from './sign-in/recognise.js';

/** Finds out who asks again and again, for what lasts longer than a request: a session may have ended meanwhile. */
export class Callers {
  readonly #recognise: ReturnType<typeof recogniser>;

  constructor(sessions: Sessions, baseUrl: string) {
    this.#recognise = recogniser(sessions, baseUrl);
  }

  /** Who sent these headers, as of now. Refuses with `unauthenticated` for the bearer of a session that is over. */
  async now(headers: IncomingHttpHeaders): Promise<Caller> {
    const session = await this.#recognise({ headers });
    return { editTokenHash: editTokenHashOf(headers), userId: session?.userId ?? null };
  }
}
