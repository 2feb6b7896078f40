import { setTimeout as delay } from 'node:timers/promises';
import { NetworkError, ProblemError, RESPONSE_TIMEOUT } from '../problem.js';

export type RetryPolicy = {
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** If a response asks for a longer wait than this, the request fails at once. */
  readonly maxWaitMs: number;
};

export const DEFAULT_POLICY: RetryPolicy = { attempts: 4, maxWaitMs: 60_000 };

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Paths of POST requests that change nothing, so that they can be repeated without an Idempotency-Key. */
const READ_ONLY_POSTS = new Set(['/v1/cli/preflight', '/v1/repo/check']);
const REPEATABLE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** Codes of errors that happen before a request has been sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the same request can be sent again without taking effect twice. */
export function isRepeatable({ method, url, headers }: Pick<Request, 'method' | 'url' | 'headers'>): boolean {
  return REPEATABLE_METHODS.has(method) || headers.has('idempotency-key') || READ_ONLY_POSTS.has(new URL(url).pathname);
}

/** Whether another attempt can succeed. `repeatable` is false for a request that must not take effect twice. */
export function canRetry(error: unknown, repeatable: boolean, { maxWaitMs }: RetryPolicy): boolean {
  if (error instanceof NetworkError) {
    return !error.isPermanent && (repeatable || NOT_SENT.has(error.code ?? ''));
  }
  if (!(error instanceof ProblemError)) return false;
  if ((error.retryAfter ?? 0) * 1000 > maxWaitMs) return false;
  // The service refuses with these statuses before it does anything, so every request can be repeated.
  if (error.status === 429 || error.status === 503) return true;
  if (!repeatable) return false;
  return error.status === 502 || error.status === 504 || error.code === 'idempotency_in_progress';
}

/** Returns the maximum number of attempts for a request that failed with this error. */
export function countAttempts(error: unknown, { attempts }: RetryPolicy): number {
  const code = error instanceof NetworkError ? error.code : undefined;
  // The request has already waited for longer than several retries would take.
  if (code === RESPONSE_TIMEOUT) return 1;
  // An unknown host name is usually misspelled, but this error also occurs while a machine is going online.
  return code === 'ENOTFOUND' ? Math.min(2, attempts) : attempts;
}

/**
 * Returns the delay before the next attempt, in milliseconds. It is random, so that many clients do not retry at the
 * same moment.
 */
export function computeDelay(failed: number, error: unknown): number {
  const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1000 : 0;
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failed - 1));
  return asked + backoff * (0.5 + Math.random() / 2);
}

/** Waits before the next attempt. Rejects with the reason of `signal` if it is aborted. */
export async function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {}).catch((error) => {
    throw signal?.aborted ? signal.reason : error;
  });
}
