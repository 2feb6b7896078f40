import { Inject, Injectable } from '@nestjs/common';
import { Sessions } from '../../../tables/people/sessions.js';

/** A page asks for dozens of files at once: for so long the answer for one holds for all of them. Milliseconds. */
const HOLDS_MS = 1_000;
const MOST = 10_000;

type CachedSession = { readonly until: number; readonly isLive: Promise<boolean> };

/** Whether sessions are still live, no more than a second ago: who signs out at the service is out at every site. */
@Injectable()
export class LiveSessions {
  readonly #asked = new Map<string, CachedSession>();

  constructor(@Inject(Sessions) private readonly sessions: Sessions) {}

  isLive(userId: string, sessionId: string): Promise<boolean> {
    const key = `${userId} ${sessionId}`;
    const asked = this.#asked.get(key);
    if (asked && asked.until > Date.now()) return asked.isLive;
    if (this.#asked.size >= MOST) this.#asked.clear();
    const isLive = this.sessions.of(userId).then((all) => all.some((session) => session.sessionId === sessionId));
    this.#asked.set(key, { until: Date.now() + HOLDS_MS, isLive });
    // Whoever asked is told; the next one asks again.
    isLive.catch(() => this.#asked.delete(key));
    return isLive;
  }
}
