import { plural } from '../../../kernel/output/quantities.js';
import type { RefusalCode } from '../../../kernel/refusal.js';

/** Codes of refusals whose callers might be probing for weaknesses. */
const TOLD: ReadonlySet<RefusalCode> = new Set([
  'unauthenticated',
  'invalid_token',
  'forbidden',
  'edit_token_invalid',
  'cross_origin',
  'rate_limited',
  'quota_exceeded',
]);

const MAX_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/** A refused request. Contains no text from the caller, because that could forge log lines or leak a secret. */
export type RefusedRequest = {
  readonly method: string;
  /** Pattern of the route, such as `/v1/sites/:slug`. */
  readonly route: string;
  readonly requestId: string;
  /** The user who was signed in or for whom a connected app was acting; null for an anonymous caller. */
  readonly userId: string | null;
};

/**
 * Logs refusals so that the operator notices callers who probe for weaknesses. Logs the first 60 of each minute, and
 * then only the number of further refusals, so that nobody can flood the log.
 */
export class RefusalLog {
  #minute = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** `now` returns the time of a monotonic clock in milliseconds. */
  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  tell({ method, route, requestId, userId }: RefusedRequest, code: RefusalCode): void {
    if (!TOLD.has(code)) return;
    const now = this.now();
    if (now - this.#minute >= MINUTE_MS) {
      if (this.#count > MAX_PER_MINUTE)
        this.write(`${plural(this.#count - MAX_PER_MINUTE, 'more refusal')} in the past minute`);
      this.#minute = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MAX_PER_MINUTE)
      this.write(`${code}: ${method} ${route} by ${userId ?? 'an anonymous caller'}, ${requestId}`);
  }
}
