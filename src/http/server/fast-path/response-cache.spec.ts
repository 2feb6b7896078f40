import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openFilesIn } from '../../../../test/support/content/open-files.js';
import { openSendfile } from '../../../adapters/sendfile.js';
import type { CopyForSendfile } from '../../../kernel/ports/sendfile.js';
import type { CachedResponse } from './cached-response.js';
import { ResponseCache } from './response-cache.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-ready-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const answer = (bytes: number): CachedResponse => ({
  head: `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n`,
  body: Buffer.alloc(bytes, 'x'),
});

/** So often that all is done for it that is ever done; within one second, as that ends between two turns. */
function askedOften(cache: ResponseCache, request: CachedResponse) {
  for (let n = 0; n < 30; n++) cache.get(request);
  return cache.get(request);
}

const allLetGo = async () => {
  for (let tries = 0; openFilesIn(folder) > 0 && tries < 500; tries++) await delay(20);
  expect(openFilesIn(folder)).toBe(0);
};

it('What is large and asked for often is laid out, for the second that it is true', async () => {
  const open = await openSendfile(folder);
  const made: ReturnType<CopyForSendfile>[] = [];
  const cache = new ResponseCache('\r\n', (bytes) => {
    const making = open(bytes);
    made.push(making);
    return making;
  });
  expect(askedOften(cache, answer(1_024))).toMatchObject({ offHeapFile: null });
  expect(askedOften(cache, { ...answer(65_536), body: null })).toMatchObject({ offHeapFile: null });
  expect(made).toEqual([]);

  // Its second may be over before it is made.
  let large = askedOften(cache, answer(65_536));
  for (let tries = 0; tries < 5; tries++) {
    await Promise.all(made);
    if (large?.offHeapFile) break;
    large = askedOften(cache, answer(65_536));
  }
  expect(large?.bytes.length).toBeGreaterThan(65_536);
  expect(large?.offHeapFile !== null).toBe(process.platform === 'linux');
  await allLetGo();
});

it('What is laid out only when its second is over is let go', async () => {
  const open = await openSendfile(folder);
  const opened = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const cache = new ResponseCache('\r\n', async (bytes) => {
    const made = await open(bytes);
    opened.resolve();
    await late.promise;
    return made;
  });
  askedOften(cache, answer(65_536));
  await Promise.all([opened.promise, delay(1_050)]);
  expect(openFilesIn(folder)).toBe(process.platform === 'linux' ? 1 : 0);
  late.resolve();
  await allLetGo();
});

it('No more is kept than there is room for', async () => {
  const made: number[] = [];
  const cache = new ResponseCache('\r\n', async ({ length }) => {
    made.push(length);
    return null;
  });
  const size = 20 * 1024 * 1024;
  expect(askedOften(cache, answer(size))?.bytes.length).toBeGreaterThan(size);
  expect(askedOften(cache, answer(size + 1))).toBeNull();
  expect(made).toEqual([]);
});
