import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { JobLogged, JobStarted, jobStream } from '../../../events/job.events.js';
import { newestLog } from './newest-log.js';

const JOB = 'job_1';

/** Stores a job that logged `lines` lines of this many characters, ten lines per event. */
async function saying(lines: number, characters: number) {
  const store = new MemoryStore();
  const text = 'x'.repeat(characters);
  const events = Array.from({ length: lines / 10 }, (_, chunk) =>
    JobLogged({
      step: 'build',
      lines: Array.from({ length: 10 }, (_, n) => ({ n: chunk * 10 + n + 1, stream: 'stdout' as const, text })),
    }),
  );
  await store.write(jobStream(JOB), JobStarted({ worker: 'a', attempt: 1 }), ...events);
  return { store, revision: events.length + 1 };
}

const numbers = (chunks: Awaited<ReturnType<typeof newestLog>>) =>
  chunks.flatMap(({ lines }) => lines.map(({ n }) => n));
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('newestLog', () => {
  it.each([
    ['all lines of a short log', 700, 10, from(1, 700)],
    ['the last 2,000 lines of a long log', 2_500, 10, from(501, 2_500)],
    ['the last 524,288 characters of a log with long lines', 1_000, 1_000, from(477, 1_000)],
    ['no lines of an empty log', 0, 0, []],
  ])('returns %s', async (_, lines, characters, expected) => {
    const { store, revision } = await saying(lines, characters);
    expect(numbers(await newestLog(store, JOB, revision))).toEqual(expected);
  });

  it('returns only lines up to the given revision', async () => {
    const { store } = await saying(700, 10);
    expect(numbers(await newestLog(store, JOB, 3))).toEqual(from(1, 20));
  });
});
