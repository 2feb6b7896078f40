import type { Response, Test } from 'supertest';

/** Slightly less than the two seconds for which a read waits for the read models (docs/interface/conventions.md). */
const WAITS_MS = 1_900;

/**
 * Sends a read, and repeats it if the service waited for its read models for as long as it ever does, but they did not
 * reach this position. A response that is stale without this wait is returned, so that the test fails.
 */
export async function upToDate(read: () => Test, position: string | undefined): Promise<Response> {
  for (;;) {
    const began = performance.now();
    const answer = await read();
    const isStale = BigInt(answer.headers['stele-position'] ?? 0) < BigInt(position ?? 0);
    if (!isStale || performance.now() - began < WAITS_MS) return answer;
  }
}
