import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Stele } from '../client.js';
import { FolderChangedError } from './folder-changed-error.js';
import { uploadFiles } from './upload-files.js';

const MIB = 1024 * 1024;
let folder: string;
let close = () => {};

/**
 * Starts a server that stores uploads by digest. It closes the connection of a request after as many bytes as
 * `cutAfter` returns. It responds to an upload when `beforeResponse` resolves.
 */
async function startStore(
  cutAfter: (request: IncomingMessage) => number = () => Number.POSITIVE_INFINITY,
  beforeResponse: (request: IncomingMessage) => Promise<void> = async () => {},
) {
  const kept = new Map<string, Buffer>();
  const requests: string[] = [];
  let received = 0;
  let together = 0;
  let most = 0;
  let smallBytes = 0;
  let mostSmallBytes = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const digest = request.url?.split('/').pop() ?? '';
    const old = kept.get(digest);
    requests.push(request.method ?? '');
    if (request.method === 'HEAD')
      return response.writeHead(old ? 204 : 404, { 'upload-offset': old?.length ?? 0, 'upload-complete': '?0' }).end();
    most = Math.max(most, ++together);
    // Files whose upload can be resumed have no `content-length`.
    const small = Number(request.headers['content-length'] ?? 0);
    smallBytes += small;
    mostSmallBytes = Math.max(mostSmallBytes, smallBytes);
    const limit = cutAfter(request);
    const chunks = request.method === 'PATCH' && old ? [old] : [];
    let own = 0;
    for await (const chunk of request) {
      chunks.push(chunk);
      own += chunk.length;
      if (own < limit) continue;
      received += own;
      kept.set(digest, Buffer.concat(chunks));
      together -= 1;
      smallBytes -= small;
      return request.socket.destroy();
    }
    received += own;
    const content = Buffer.concat(chunks);
    await beforeResponse(request);
    together -= 1;
    smallBytes -= small;
    const isWhole = createHash('sha256').update(content).digest('hex') === digest;
    if (isWhole) kept.set(digest, content);
    else kept.delete(digest);
    return isWhole
      ? response.writeHead(201).end()
      : response
          .writeHead(422, { 'content-type': 'application/problem+json' })
          .end('{"status":422,"code":"digest_mismatch","title":"Digest mismatch"}');
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const stele = new Stele({ instance: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { stele, kept, requests, received: () => received, most: () => most, mostSmallBytes: () => mostSmallBytes };
}

async function write(path: string, content: Buffer) {
  const location = join(folder, path);
  await writeFile(location, content);
  return { path, location, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-uploads-'));
});
afterEach(async () => {
  close();
  await rm(folder, { recursive: true, force: true });
});

describe('uploadFiles', () => {
  it('sends identical content only once, and at most eight files at a time', async () => {
    const { stele, kept, most } = await startStore();
    const files = await Promise.all(Array.from({ length: 40 }, (_, n) => write(`${n}`, randomBytes(20_000))));
    const copy = { ...files[0], path: 'copy' } as (typeof files)[number];
    let sent = 0;
    await uploadFiles(stele, [...files, copy], { onSent: (bytes) => (sent += bytes) });
    expect(kept.size).toBe(40);
    expect(sent).toBe(40 * 20_000);
    expect(most()).toBeLessThanOrEqual(8);
  });

  it('sends eight small files at a time', async () => {
    const eight = Promise.withResolvers<void>();
    const store = await startStore(undefined, () => {
      if (store.most() === 8) eight.resolve();
      return eight.promise;
    });
    const files = await Promise.all(Array.from({ length: 16 }, (_, n) => write(`${n}`, randomBytes(MIB))));
    await uploadFiles(store.stele, files);
    expect(store.most()).toBe(8);
  });

  it('sends at most 8 MiB at a time of files that cannot be resumed', async () => {
    const largeReceived = Promise.withResolvers<void>();
    // No small upload ends until the large one, which can be resumed, has been received.
    const store = await startStore(undefined, ({ headers }) => {
      if (!headers['content-length']) largeReceived.resolve();
      return largeReceived.promise;
    });
    const sizes = [3, 3, 3, 3, 8, 16].map((size) => size * MIB);
    const files = await Promise.all(sizes.map((size, n) => write(`${n}`, randomBytes(size))));
    await uploadFiles(store.stele, files);
    expect(store.kept.size).toBe(sizes.length);
    expect(store.mostSmallBytes()).toBe(8 * MIB);
  });

  it('resumes the upload of a large file where the connection broke', async () => {
    const { stele, kept, received, requests } = await startStore(() => 5 * MIB);
    const content = randomBytes(18 * MIB);
    const file = await write('large.bin', content);
    let sent = 0;
    await uploadFiles(stele, [file], { onSent: (bytes) => (sent += bytes) });
    expect(kept.get(file.sha256)?.equals(content)).toBe(true);
    // No byte is sent twice.
    expect(received()).toBe(content.length);
    expect(requests.filter((method) => method === 'PATCH').length).toBeGreaterThanOrEqual(3);
    expect(sent).toBe(content.length);
  }, 120_000);

  it('sends a small file again from the beginning when the connection breaks', async () => {
    let cuts = 2;
    const { stele, kept, requests } = await startStore(() => (cuts-- > 0 ? 1 : Number.POSITIVE_INFINITY));
    const file = await write('small.bin', randomBytes(100_000));
    await uploadFiles(stele, [file]);
    expect(kept.get(file.sha256)?.length).toBe(100_000);
    expect(requests).toEqual(['PUT', 'PUT', 'PUT']);
  });

  it('counts the bytes of a small file as they are sent, and subtracts those of a failed attempt', async () => {
    let cuts = 1;
    const counted = Promise.withResolvers<void>();
    // The second request gets no response until all bytes have been counted.
    const { stele } = await startStore(
      () => (cuts-- > 0 ? 1 : Number.POSITIVE_INFINITY),
      () => counted.promise,
    );
    const file = await write('small.bin', randomBytes(100_000));
    const counts: number[] = [];
    let sent = 0;
    await uploadFiles(stele, [file], {
      onSent: (bytes) => {
        sent += bytes;
        counts.push(sent);
        if (counts.includes(0, 1) && sent === file.size) counted.resolve();
      },
    });
    expect(sent).toBe(file.size);
    expect(Math.max(...counts)).toBe(file.size);
  });

  it.each([
    ['small', 1000],
    ['large', 9 * MIB],
  ])('reports a %s file that changed after it was hashed', async (_, size) => {
    const { stele } = await startStore();
    const file = await write('a.bin', randomBytes(size));
    await writeFile(file.location, randomBytes(size));
    await expect(uploadFiles(stele, [file])).rejects.toThrow(FolderChangedError);
    await truncate(file.location, size - 1);
    await expect(uploadFiles(stele, [file])).rejects.toThrow(FolderChangedError);
  });

  it.each([
    ['small', 1000, 'PUT'],
    ['large', 9 * MIB, 'HEAD'],
  ])('gives up the upload of a %s file after one attempt if the instance is silent', async (_, size, method) => {
    const requests: (string | undefined)[] = [];
    const server = createServer((request) => requests.push(request.method));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    close = () => {
      server.closeAllConnections();
      server.close();
    };
    const instance = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stele = new Stele({ instance, responseTimeoutMs: 100 });
    const file = await write('a.bin', randomBytes(size));
    await expect(uploadFiles(stele, [file])).rejects.toThrow('it did not respond in time');
    expect(requests).toEqual([method]);
  });

  it('stops all uploads when one is refused', async () => {
    const { stele, requests } = await startStore();
    const files = await Promise.all(Array.from({ length: 30 }, (_, n) => write(`${n}`, randomBytes(1.5 * MIB))));
    const [first] = files;
    if (first) await writeFile(first.location, randomBytes(1.5 * MIB));
    await expect(uploadFiles(stele, files)).rejects.toThrow('0 changed while it was being deployed');
    expect(requests.length).toBeLessThan(30);
  });

  it('stops when the signal is aborted', async () => {
    const { stele } = await startStore();
    const file = await write('a.bin', randomBytes(9 * MIB));
    const controller = new AbortController();
    const upload = uploadFiles(stele, [file], {
      signal: controller.signal,
      onSent: () => controller.abort(new Error('interrupted')),
    });
    await expect(upload).rejects.toThrow('interrupted');
  });
});
