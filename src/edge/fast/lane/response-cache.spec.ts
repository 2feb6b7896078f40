import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openFilesIn } from '../../../../test/support/content/open-files.js';
import type { CachedResponse } from '../../http/server/first-handler.js';
import type { CopyForSendfile } from '../off-heap-file.js';
import { openSendfile } from '../sendfile.js';
import { ResponseCache } from './response-cache.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-response-cache-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const answer = (bytes: number): CachedResponse => ({
  head: `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n`,
  body: Buffer.alloc(bytes, 'x'),
  status: 200,
  onSent: null,
});

/** Requests a response often enough for the cache to copy it. The loop does no I/O, so it ends within one second. */
function requestOften(cache: ResponseCache, request: CachedResponse) {
  for (let n = 0; n < 30; n++) cache.get(request);
  return cache.get(request);
}

const allReleased = async () => {
  for (let tries = 0; openFilesIn(folder) > 0 && tries < 500; tries++) await delay(20);
  expect(openFilesIn(folder)).toBe(0);
};

it('A frequently sent large response is copied to a file for sendfile while the response is valid', async () => {
  const open = await openSendfile(folder);
  const made: ReturnType<CopyForSendfile>[] = [];
  const cache = new ResponseCache('\r\n', (bytes) => {
    const making = open(bytes);
    made.push(making);
    return making;
  });
  expect(requestOften(cache, answer(1_024))).toMatchObject({ offHeapFile: null });
  expect(requestOften(cache, { ...answer(65_536), body: null })).toMatchObject({ offHeapFile: null });
  expect(made).toEqual([]);

  // A copy expires when the current second ends, which can happen before the copy is complete. In that case, try again.
  let large = requestOften(cache, answer(65_536));
  for (let tries = 0; tries < 5; tries++) {
    await Promise.all(made);
    if (large?.offHeapFile) break;
    large = requestOften(cache, answer(65_536));
  }
  expect(large?.bytes.length).toBeGreaterThan(65_536);
  expect(large?.offHeapFile !== null).toBe(process.platform === 'linux');
  await allReleased();
});

it('A copy is released if the response becomes invalid before the copy is complete', async () => {
  const open = await openSendfile(folder);
  const opened = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const cache = new ResponseCache('\r\n', async (bytes) => {
    const made = await open(bytes);
    opened.resolve();
    await late.promise;
    return made;
  });
  requestOften(cache, answer(65_536));
  await Promise.all([opened.promise, delay(1_050)]);
  expect(openFilesIn(folder)).toBe(process.platform === 'linux' ? 1 : 0);
  late.resolve();
  await allReleased();
});

it('The cache never exceeds its size limit', async () => {
  const made: number[] = [];
  const cache = new ResponseCache('\r\n', async ({ length }) => {
    made.push(length);
    return null;
  });
  const size = 20 * 1024 * 1024;
  expect(requestOften(cache, answer(size))?.bytes.length).toBeGreaterThan(size);
  expect(requestOften(cache, answer(size + 1))).toBeNull();
  expect(made).toEqual([]);
});
