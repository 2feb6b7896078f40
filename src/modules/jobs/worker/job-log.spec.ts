import { describe, expect, it } from '@jest/globals';
import type { JobLogged } from '../../../events/job.events.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { Masks } from '../../../kernel/output/masks.js';
import { JobLog } from './job-log.js';

type Chunk = ReturnType<typeof JobLogged>['data'];

const FULL_SHARE = 'Nothing is left of the share.';

/** `share` is the number of characters that the owner's jobs can still log today. */
function log(count = 0, share = Number.POSITIVE_INFINITY) {
  let left = share;
  const chunks: Chunk[] = [];
  let heard: () => void = () => undefined;
  const take = async (characters: number) => {
    if (left < characters) return false;
    left -= characters;
    return true;
  };
  const made = new JobLog(
    count,
    async ({ data }) => {
      chunks.push(data);
      heard();
    },
    { take, full: FULL_SHARE },
  );
  const next = () => new Promise<void>((resolve) => (heard = resolve));
  return { log: made, chunks, next };
}

describe('JobLog', () => {
  it('records lines in chunks of 64 KiB', async () => {
    const { log: it, chunks } = log();
    for (let n = 0; n < 200; n++) await it.line('clone', 'x'.repeat(1_000));
    await it.flush();
    expect(chunks.map(({ lines }) => lines.length)).toEqual([63, 63, 63, 11]);
    expect(chunks.flatMap(({ lines }) => lines.map(({ n }) => n))).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
  });

  it.each([
    ['empty lines', Array.from({ length: 50_000 }, () => '')],
    ['long lines', Array.from({ length: 40 }, () => '\u0001'.repeat(16_384))],
  ])('keeps every event with %s below the size limit of EventStoreDB', async (_, lines) => {
    const { log: it, chunks } = log();
    for (const line of lines) await it.line('clone', line);
    await it.flush();
    expect(chunks.flatMap((chunk) => chunk.lines)).toHaveLength(lines.length);
    expect(Math.max(...chunks.map((chunk) => canonical(chunk).length))).toBeLessThan(1_000_000);
  });

  it('records a single line after a short delay, even if no other lines follow', async () => {
    const { log: it, chunks, next } = log();
    const heard = next();
    await it.line('clone', 'alone');
    expect(chunks).toEqual([]);
    await heard;
    expect(chunks).toEqual([{ step: 'clone', lines: [{ n: 1, stream: 'stdout', text: 'alone' }] }]);
  });

  it('records steps in separate chunks, and continues the line numbers of an earlier attempt', async () => {
    const { log: it, chunks } = log(41);
    await it.line('clone', 'a');
    await it.line('detect', 'b', 'stderr');
    await it.flush();
    expect(chunks).toEqual([
      { step: 'clone', lines: [{ n: 42, stream: 'stdout', text: 'a' }] },
      { step: 'detect', lines: [{ n: 43, stream: 'stderr', text: 'b' }] },
    ]);
  });

  it('truncates long lines and makes them well-formed Unicode', async () => {
    const { log: it, chunks } = log();
    await it.line('clone', 'é'.repeat(20_000));
    await it.line('clone', 'half \ud83d of it');
    await it.flush();
    expect(chunks[0]?.lines.map(({ text }) => text)).toEqual([`${'é'.repeat(16_384)}…`, 'half \ufffd of it']);
  });

  it('masks secrets, even in truncated lines and across lines and chunks', async () => {
    const { log: it, chunks } = log();
    const key = Array.from({ length: 100 }, (_, n) => `line ${n} of a key ${'k'.repeat(1_000)}`);
    it.mask(new Masks(['hunter22hunter22', key.join('\n')]));
    await it.line('clone', `${'x'.repeat(16_380)}hunter22hunter22`);
    for (const line of key) {
      await it.line('clone', 'y'.repeat(1_000));
      await it.line('clone', `> ${line}`);
    }
    await it.flush();
    expect(chunks.length).toBeGreaterThan(1);
    const texts = chunks.flatMap(({ lines }) => lines.map(({ text }) => text));
    expect(texts.filter((text) => !text.startsWith('y'))).toEqual([
      `${'x'.repeat(16_380)}••••`,
      ...key.map(() => '> ••••'),
    ]);
  });

  it('the log ends with a message when its owner’s limit is used up, but every job can log a few lines', async () => {
    const ended = async (share: number) => {
      const { log: it, chunks } = log(0, share);
      const line = 'x'.repeat(974);
      // Log the stdout and stderr of a command at the same time.
      for (let n = 0; n < 100; n++) await Promise.all([it.line('build', line), it.line('build', line)]);
      await it.flush();
      expect(it.isFull).toBe(true);
      const texts = chunks.flatMap(({ lines }) => lines.map(({ text }) => text));
      expect(texts.at(-1)).toBe(FULL_SHARE);
      expect(texts.slice(0, -1).every((text) => text === line)).toBe(true);
      return texts.length - 1;
    };
    expect(await ended(65_535)).toBe(8);
    expect(await ended(65_536)).toBe(72);
  });

  it('the log ends with a message when it is full', async () => {
    const { log: it, chunks } = log(99_998);
    for (const text of ['one', 'two', 'three']) await it.line('clone', text);
    await it.flush();
    const lines = chunks.flatMap(({ lines }) => lines);
    expect(lines.map(({ n }) => n)).toEqual([99_999, 100_000]);
    expect(lines[1]?.text).toMatch(/^The log is full \(100,000 lines or 16 MiB\)/);
  });
});
