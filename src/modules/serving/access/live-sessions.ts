import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SessionStore } from '../../../accounts/people/sessions.js';

/**
 * Time for which the result of a session lookup is reused. A page loads dozens of files at the same time, and each
 * request needs the result.
 */
const HOLDS_MS = 1_000;
const MAX_SESSIONS = 10_000;

/** Checks whether sessions are still valid. Results can be up to a second old. */
@Injectable()
export class LiveSessions {
  readonly #known = new LRUCache<string, Promise<boolean>>({ max: MAX_SESSIONS, ttl: HOLDS_MS });

  constructor(@Inject(SessionStore) private readonly sessions: Pick<SessionStore, 'of'>) {}

  isLive(userId: string, sessionId: string): Promise<boolean> {
    const key = `${userId} ${sessionId}`;
    const known = this.#known.get(key);
    if (known) return known;
    const isLive = this.sessions.of(userId).then((all) => all.some((session) => session.sessionId === sessionId));
    this.#known.set(key, isLive);
    isLive.catch(() => this.#known.delete(key));
    return isLive;
  }
}
