import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openFilesIn } from '../../../test/support/content/open-files.js';
import type { OffHeapFile } from './off-heap-file.js';
import { openSendfile } from './sendfile.js';

const BYTES = Buffer.from(Uint32Array.from({ length: 16 * 1024 }, (_, n) => n).buffer);
const isLinux = process.platform === 'linux';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-zero-copy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('openSendfile copies bytes to a file only on Linux', async () => {
  const laidOut = await (await openSendfile(folder))(BYTES);
  expect(laidOut !== null).toBe(isLinux);
  laidOut?.release();
});

it('openSendfile does not copy bytes if it cannot create a file', async () =>
  expect(await (await openSendfile(join(folder, 'none')))(BYTES)).toBeNull());

(isLinux ? describe : describe.skip)('Bytes that are copied for sendfile', () => {
  let server: Server;
  let near: Socket;
  let far: Socket;
  let offHeapFile: OffHeapFile;
  const descriptor = () => Reflect.get(near, '_handle').fd as number;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    far = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [[near]] = (await Promise.all([once(server, 'connection'), once(far, 'connect')])) as [[Socket], unknown];
    const made = await (await openSendfile(folder))(BYTES);
    if (!made) throw new Error('Nothing was laid out.');
    offHeapFile = made;
  });
  afterEach(async () => {
    offHeapFile.release();
    near.destroy();
    far.destroy();
    server.close();
    await once(server, 'close');
  });

  it('copied bytes can be sent more than once, from the first byte each time', async () => {
    expect(offHeapFile.sendTo(descriptor())).toBe(BYTES.length);
    expect(offHeapFile.sendTo(descriptor())).toBe(BYTES.length);
    let heard = Buffer.alloc(0);
    for await (const bytes of far) {
      heard = Buffer.concat([heard, bytes]);
      if (heard.length === 2 * BYTES.length) break;
    }
    expect(heard.equals(Buffer.concat([BYTES, BYTES]))).toBe(true);
  });

  it('only as many copied bytes are sent as the connection accepts without waiting', () => {
    far.pause();
    let last = BYTES.length;
    for (let n = 0; n < 1_000 && last === BYTES.length; n++) last = offHeapFile.sendTo(descriptor());
    expect(last).toBeLessThan(BYTES.length);
    expect(offHeapFile.sendTo(descriptor())).toBe(0);
  });

  it.each([-1, 1_000_000])('copied bytes are not sent to the file descriptor %d, which is not a connection', (none) =>
    expect(offHeapFile.sendTo(none)).toBe(0),
  );

  it('copied bytes are not sent to a connection that was reset, even before Node notices the reset', () => {
    near.on('error', () => undefined);
    far.resetAndDestroy();
    expect(offHeapFile.sendTo(descriptor())).toBe(0);
  });

  it('copied bytes are in a file without a name, which is deleted on release; releasing twice is allowed', async () => {
    expect(readdirSync(folder)).toEqual([]);
    expect(openFilesIn(folder)).toBe(1);
    offHeapFile.release();
    offHeapFile.release();
    expect(offHeapFile.sendTo(descriptor())).toBe(0);
    while (openFilesIn(folder) > 0) await delay(5);
  });

  it('copied bytes arrive completely even if they are released while being sent', async () => {
    expect(offHeapFile.sendTo(descriptor())).toBe(BYTES.length);
    offHeapFile.release();
    near.end();
    let heard = Buffer.alloc(0);
    for await (const bytes of far) heard = Buffer.concat([heard, bytes]);
    expect(heard.equals(BYTES)).toBe(true);
  });
});
