import { describe, expect, it } from '@jest/globals';
import type { JobLogged } from '../../../events/job.events.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { Masks } from '../../../kernel/output/masks.js';
import { JobLog } from './job-log.js';

type Chunk = ReturnType<typeof JobLogged>['data'];

function log(count = 0) {
  const chunks: Chunk[] = [];
  let heard: () => void = () => undefined;
  const made = new JobLog(count, async ({ data }) => {
    chunks.push(data);
    heard();
  });
  const next = () => new Promise<void>((resolve) => (heard = resolve));
  return { log: made, chunks, next };
}

describe('The log of a job', () => {
  it('goes in chunks of 64 KiB', async () => {
    const { log: it, chunks } = log();
    for (let n = 0; n < 200; n++) await it.line('clone', 'x'.repeat(1_000));
    await it.flush();
    expect(chunks.map(({ lines }) => lines.length)).toEqual([63, 63, 63, 11]);
    expect(chunks.flatMap(({ lines }) => lines.map(({ n }) => n))).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
  });

  it.each([
    ['lines that are empty', Array.from({ length: 50_000 }, () => '')],
    ['lines that are long', Array.from({ length: 40 }, () => '\u0001'.repeat(16_384))],
  ])('makes no event that EventStoreDB would refuse for its size, of %s', async (_, lines) => {
    const { log: it, chunks } = log();
    for (const line of lines) await it.line('clone', line);
    await it.flush();
    expect(chunks.flatMap((chunk) => chunk.lines)).toHaveLength(lines.length);
    expect(Math.max(...chunks.map((chunk) => canonical(chunk).length))).toBeLessThan(1_000_000);
  });

  it('does not keep a line waiting for others', async () => {
    const { log: it, chunks, next } = log();
    const heard = next();
    await it.line('clone', 'alone');
    expect(chunks).toEqual([]);
    await heard;
    expect(chunks).toEqual([{ step: 'clone', lines: [{ n: 1, stream: 'stdout', text: 'alone' }] }]);
  });

  it('keeps steps apart, and counts on from an earlier attempt', async () => {
    const { log: it, chunks } = log(41);
    await it.line('clone', 'a');
    await it.line('detect', 'b', 'stderr');
    await it.flush();
    expect(chunks).toEqual([
      { step: 'clone', lines: [{ n: 42, stream: 'stdout', text: 'a' }] },
      { step: 'detect', lines: [{ n: 43, stream: 'stderr', text: 'b' }] },
    ]);
  });

  it('cuts lines that have no end, and writes nothing that cannot be written', async () => {
    const { log: it, chunks } = log();
    await it.line('clone', 'é'.repeat(20_000));
    await it.line('clone', 'half \ud83d of it');
    await it.flush();
    expect(chunks[0]?.lines.map(({ text }) => text)).toEqual([`${'é'.repeat(16_384)}…`, 'half \ufffd of it']);
  });

  it('shows no secret, also where a line is cut, and where a value goes over lines and chunks', async () => {
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

  it('has an end, and says so', async () => {
    const { log: it, chunks } = log(99_998);
    for (const text of ['one', 'two', 'three']) await it.line('clone', text);
    await it.flush();
    const lines = chunks.flatMap(({ lines }) => lines);
    expect(lines.map(({ n }) => n)).toEqual([99_999, 100_000]);
    expect(lines[1]?.text).toMatch(/^The log is full \(100,000 lines or 16 MiB\)/);
  });
});
