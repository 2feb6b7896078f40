import type { RefusalCode } from '../../kernel/refusal.js';

/** What is refused to a caller who may mean harm: a credential, a right, an origin, a rate. */
const TOLD: ReadonlySet<RefusalCode> = new Set([
  'unauthenticated',
  'invalid_token',
  'forbidden',
  'edit_token_invalid',
  'cross_origin',
  'rate_limited',
  'quota_exceeded',
]);

const MOST_IN_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** A request that was refused. Nothing in it is the caller's own text: it cannot forge a line, and tells no secret. */
export type RefusedRequest = {
  readonly method: string;
  /** The pattern of its route, such as `/v1/sites/:slug`. */
  readonly route: string;
  readonly requestId: string;
  /** The person who was signed in, or for whom a program acted; null for a caller without one. */
  readonly userId: string | null;
};

/**
 * Tells the operator of refusals one by one, so that a caller who tries doors is seen. Of a flood it tells the first of
 * each minute, and with the first refusal after that minute how many more there were: strangers are not to fill the
 * log.
 */
export class RefusalLog {
  #minute = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** `now` in milliseconds, of a clock that never goes back. */
  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  tell({ method, route, requestId, userId }: RefusedRequest, code: RefusalCode): void {
    if (!TOLD.has(code)) return;
    const now = this.now();
    if (now - this.#minute >= MINUTE_MS) {
      if (this.#count > MOST_IN_A_MINUTE)
        this.write(`${this.#count - MOST_IN_A_MINUTE} more were refused in a minute.`);
      this.#minute = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MOST_IN_A_MINUTE)
      this.write(`${code}: ${method} ${route} by ${userId ?? 'nobody'}, ${requestId}`);
  }
}
