import type { Response, Test } from 'supertest';

/** Slightly less than the two seconds for which a read waits for the read models (docs/interface/conventions.md). */
const WAITS_MS = 1_900;

/**
 * Sends a read, and returns the response when it includes this position. Repeats a stale read only if the service has
 * waited its maximum time for the read models. Otherwise, returns the stale response, so that the test fails.
 */
export async function upToDate(read: () => Test, position: string | undefined): Promise<Response> {
  for (;;) {
    const began = performance.now();
    const answer = await read();
    const isStale = BigInt(answer.headers['stele-position'] ?? 0) < BigInt(position ?? 0);
    if (!isStale || performance.now() - began < WAITS_MS) return answer;
  }
}
