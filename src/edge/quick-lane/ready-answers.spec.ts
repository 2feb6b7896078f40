import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openFilesIn } from '../../../test/support/content/open-files.js';
import type { LayOut } from '../../kernel/zero-copy.js';
import { openZeroCopy } from '../../outside/zero-copy.js';
import type { AnswerAtHand } from './answer-at-hand.js';
import { ReadyAnswers } from './ready-answers.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-ready-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const answer = (bytes: number): AnswerAtHand => ({
  head: `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n`,
  body: Buffer.alloc(bytes, 'x'),
});

/** So often that all is done for it that is ever done; within one second, as that ends between two turns. */
function askedOften(ready: ReadyAnswers, asked: AnswerAtHand) {
  for (let n = 0; n < 30; n++) ready.of(asked);
  return ready.of(asked);
}

const allLetGo = async () => {
  for (let tries = 0; openFilesIn(folder) > 0 && tries < 500; tries++) await delay(20);
  expect(openFilesIn(folder)).toBe(0);
};

it('What is large and asked for often is laid out, for the second that it is true', async () => {
  const open = await openZeroCopy(folder);
  const made: ReturnType<LayOut>[] = [];
  const ready = new ReadyAnswers('\r\n', (bytes) => {
    const making = open(bytes);
    made.push(making);
    return making;
  });
  expect(askedOften(ready, answer(1_024))).toMatchObject({ laidOut: null });
  expect(askedOften(ready, { ...answer(65_536), body: null })).toMatchObject({ laidOut: null });
  expect(made).toEqual([]);

  // Its second may be over before it is made.
  let large = askedOften(ready, answer(65_536));
  for (let tries = 0; tries < 5; tries++) {
    await Promise.all(made);
    if (large?.laidOut) break;
    large = askedOften(ready, answer(65_536));
  }
  expect(large?.bytes.length).toBeGreaterThan(65_536);
  expect(large?.laidOut !== null).toBe(process.platform === 'linux');
  await allLetGo();
});

it('What is laid out only when its second is over is let go', async () => {
  const open = await openZeroCopy(folder);
  const opened = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const ready = new ReadyAnswers('\r\n', async (bytes) => {
    const made = await open(bytes);
    opened.resolve();
    await late.promise;
    return made;
  });
  askedOften(ready, answer(65_536));
  await Promise.all([opened.promise, delay(1_050)]);
  expect(openFilesIn(folder)).toBe(process.platform === 'linux' ? 1 : 0);
  late.resolve();
  await allLetGo();
});

it('No more is kept than there is room for', async () => {
  const made: number[] = [];
  const ready = new ReadyAnswers('\r\n', async ({ length }) => {
    made.push(length);
    return null;
  });
  const size = 20 * 1024 * 1024;
  expect(askedOften(ready, answer(size))?.bytes.length).toBeGreaterThan(size);
  expect(askedOften(ready, answer(size + 1))).toBeNull();
  expect(made).toEqual([]);
});
