import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readFolderChange } from './folder-changed-error.js';
import type { HashCache } from './hash-cache.js';
import { SMALL_BYTES, SmallFiles } from './small-files.js';
import type { FoundFile } from './walk-folder.js';

export type HashedFile = {
  readonly path: string;
  readonly location: string;
  readonly size: number;
  readonly sha256: string;
};

export type HashProgress = (hashed: { readonly files: number; readonly bytes: number }) => void;

type Hash = (location: string, size: number, signal?: AbortSignal) => Promise<string>;

/** Number of files that each thread reads at the same time. */
const READS_PER_THREAD = 4;
/** Starting a thread takes about as long as hashing this many bytes. */
const BYTES_PER_THREAD = 32 * 1024 * 1024;

/**
 * Returns the files with their digests. Uses several threads if there is enough content. Files whose digest is in the
 * cache are not read.
 */
export async function hashFiles(
  files: readonly FoundFile[],
  { cache, onProgress, signal }: { cache?: HashCache | null; onProgress?: HashProgress; signal?: AbortSignal } = {},
): Promise<HashedFile[]> {
  const known = files.map(({ path, stats }) => cache?.find(path, stats));
  const unknown = files.filter((_, index) => known[index] === undefined);
  const digests = new Map<string, string>();
  const done = { files: 0, bytes: 0 };

  const hashWith = async (hash: Hash, queue: FoundFile[]) => {
    for (let file = queue.pop(); file; file = queue.pop()) {
      signal?.throwIfAborted();
      const sha256 = await hash(file.location, Number(file.stats.size), signal).catch((error) => {
        throw readFolderChange(error, file.path);
      });
      digests.set(file.path, sha256);
      if (cache && isUnchanged(file)) cache.remember(file.path, file.stats, sha256);
      done.files += 1;
      done.bytes += Number(file.stats.size);
      onProgress?.(done);
    }
  };

  // Hash the largest files first, so that no thread is still busy with one when the others have finished.
  const queue = unknown.toSorted((a, b) => Number(a.stats.size - b.stats.size));
  const bytes = unknown.reduce((sum, { stats }) => sum + Number(stats.size), 0);
  const threads = startThreads(Math.min(availableParallelism(), Math.floor(bytes / BYTES_PER_THREAD)));
  const workers = threads.length > 1 ? threads.map(({ hash }) => hash) : [createHasher()];
  try {
    const readers = workers.flatMap((hash) => Array.from({ length: READS_PER_THREAD }, () => hashWith(hash, queue)));
    await Promise.race([Promise.all(readers), rejectOnAbort(signal)]);
  } finally {
    await Promise.all(threads.map(({ stop }) => stop()));
  }
  await cache?.save();
  return files.map(({ path, location, stats }, index) => ({
    path,
    location,
    size: Number(stats.size),
    sha256: known[index] ?? (digests.get(path) as string),
  }));
}

/** Rejects as soon as the signal is aborted, without waiting for threads, which cannot stop in the middle of a file. */
async function rejectOnAbort(signal?: AbortSignal): Promise<never> {
  if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  throw signal?.reason;
}

/** Buffers are reused, because a stream would create as much garbage as the total size of the files. */
const BUFFER_BYTES = 256 * 1024;
const freeBuffers: Buffer[] = [];

/** Computes the SHA-256 of a file in hexadecimal. */
export async function hashFile(location: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(location);
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafe(BUFFER_BYTES);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, BUFFER_BYTES);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    freeBuffers.push(buffer);
    await file.close();
  }
}

/** Creates a function that computes digests in this thread. */
function createHasher(): Hash {
  const small = new SmallFiles();
  return async (location, size, signal) =>
    size > SMALL_BYTES || small.isSlow
      ? hashFile(location, signal)
      : // If the file has grown in the meantime, the digest is wrong. Sending the file detects that.
        small.read(location, (content) => createHash('sha256').update(content).digest('hex'));
}

/** Whether a file has not changed since it was found, so that its digest can be cached. */
function isUnchanged({ location, stats: before }: FoundFile): boolean {
  // Synchronous, because passing the call to another thread takes longer than the call itself.
  const now = statSync(location, { bigint: true, throwIfNoEntry: false });
  return now?.size === before.size && now.mtimeNs === before.mtimeNs && now.ctimeNs === before.ctimeNs;
}

/**
 * Source code of a hashing thread. It is a string, because the command is bundled into one file, and a thread cannot
 * import a part of that file.
 */
const THREAD = `
const { createHash } = require('node:crypto');
const { closeSync, openSync, readSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');
const buffer = Buffer.allocUnsafe(${BUFFER_BYTES});
parentPort.on('message', ({ id, location }) => {
  let file;
  try {
    file = openSync(location, 'r');
    const hash = createHash('sha256');
    for (let read = -1; read !== 0; hash.update(buffer.subarray(0, read)))
      read = readSync(file, buffer, 0, buffer.length, null);
    parentPort.postMessage({ id, sha256: hash.digest('hex') });
  } catch (error) {
    parentPort.postMessage({ id, error });
  } finally {
    if (file !== undefined) closeSync(file);
  }
});`;

type Reply = { readonly id: number; readonly sha256?: string; readonly error?: Error };

function startThreads(count: number): { hash: Hash; stop: () => Promise<unknown> }[] {
  return Array.from({ length: count > 1 ? count : 0 }, () => {
    const worker = new Worker(THREAD, { eval: true });
    const waiting = new Map<number, (reply: Omit<Reply, 'id'>) => void>();
    let last = 0;
    worker.on('message', ({ id, ...reply }: Reply) => waiting.get(id)?.(reply));
    worker.on('error', (error) => {
      for (const settle of waiting.values()) settle({ error });
    });
    const hash = async (location: string) => {
      const id = ++last;
      const { sha256, error } = await new Promise<Omit<Reply, 'id'>>((resolve) => {
        waiting.set(id, resolve);
        worker.postMessage({ id, location });
      });
      waiting.delete(id);
      if (sha256 === undefined) throw error;
      return sha256;
    };
    return { hash, stop: () => worker.terminate() };
  });
}
