import { setTimeout as delay } from 'node:timers/promises';
import type { Stele } from '../service/stele.js';

export type Event = { readonly revision: number; readonly type: string; readonly data: Record<string, unknown> };
export type Snapshot = {
  readonly id: string;
  readonly status: string;
  readonly steps: readonly { readonly name: string; readonly status: string }[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly deployId?: string;
  readonly unchanged?: boolean;
  readonly slug: string;
  readonly revision: number;
};

const OVER = ['succeeded', 'failed', 'stopped'];

/**
 * Polls a job until `reached` accepts its snapshot, and returns that snapshot. After the timeout, returns the last one.
 */
export async function jobWhen(
  stele: Stele,
  jobId: string,
  reached: (job: Snapshot) => boolean,
  headers: Record<string, string> = {},
  withinMs = 60_000,
): Promise<Snapshot> {
  const enough = Date.now() + withinMs;
  for (;;) {
    const { body } = await stele.api.get(`/v1/jobs/${jobId}`).set(headers).expect(200);
    if (reached(body) || Date.now() > enough) return body;
    await delay(50);
  }
}

/** Waits until a job has ended, and returns its last snapshot. `headers` are those of a caller who can read the job. */
export const jobOver = (stele: Stele, jobId: string, headers: Record<string, string> = {}, withinMs = 60_000) =>
  jobWhen(stele, jobId, ({ status }) => OVER.includes(status), headers, withinMs);

export async function eventsOf(stele: Stele, jobId: string): Promise<Event[]> {
  const events = (await stele.log()).filter(({ stream }) => stream === `job-${jobId}`);
  return events.map(({ revision, type, data }) => ({ revision, type, data: JSON.parse(data) }));
}

type Line = { readonly n: number; readonly stream: string; readonly text: string };

export const linesOf = (events: readonly Event[]): Line[] =>
  events.filter(({ type }) => type === 'JobLogged').flatMap(({ data }) => data.lines as Line[]);
