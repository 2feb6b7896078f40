import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createGunzip, type Gunzip, gunzipSync, type InflateRaw } from 'node:zlib';
import { codeOf } from '../../../../kernel/faults/error-code.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { addWork } from '../../../../kernel/work-done.js';

const MAX_RATIO = 200;
/** Up to this size any ratio is allowed: a page of blanks is no attack. */
const ALWAYS_ALLOWED = 1024 * 1024;

/** A gzip up to this size, in bytes, is inflated in one call if no more than so much comes out. */
const AT_ONCE = 64 * 1024;
const AT_ONCE_INFLATED = 512 * 1024;

/** Of larger ones so many pieces, which are 64 KiB where the sender is quick, are inflated together. */
const GATHERED = 16;
/** What comes out of them does so in pieces of this size, in bytes. */
const INFLATED = 512 * 1024;

/**
 * Inflates a gzip, as `inflate` does. A small one whose length is announced is inflated in one call: a stream and its
 * turns of the thread pool cost more than all the rest of a small deploy.
 */
export async function* gunzip(
  request: IncomingMessage,
  compressed: AsyncIterable<Uint8Array>,
  limit: number,
  broken: (why: string) => never,
): AsyncGenerator<Buffer> {
  const length = Number(request.headers['content-length'] ?? Infinity);
  if (length > AT_ONCE) return yield* inflate(request, gathered(request, compressed), gunzipStream(), limit, broken);
  const whole = await buffer(compressed);
  const inflated = inflatedAtOnce(whole, Math.min(limit, AT_ONCE_INFLATED), broken);
  if (!inflated) return yield* inflate(request, arrived(whole), gunzipStream(), limit, broken);
  addWork(request, inflated.length);
  yield inflated;
}

const gunzipStream = () => createGunzip({ chunkSize: INFLATED });

/**
 * The bytes of a body in fewer pieces, as each goes to the thread pool and back. No piece waits for what has not arrived
 * yet: the bytes of a slow sender are neither judged later nor held.
 */
async function* gathered(request: IncomingMessage, compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  for await (const piece of compressed) {
    pieces.push(piece);
    if (pieces.length < GATHERED) {
      // The connection is read once in each turn of the event loop.
      await setImmediate();
      if (request.readableLength > 0) continue;
    }
    yield Buffer.concat(pieces);
    pieces = [];
  }
}

async function* arrived(whole: Buffer): AsyncGenerator<Buffer> {
  yield whole;
}

/** What comes out of a whole gzip; null if it is more than `limit` bytes. */
function inflatedAtOnce(whole: Buffer, limit: number, broken: (why: string) => never): Buffer | null {
  try {
    return gunzipSync(whole, { maxOutputLength: limit });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') return null;
    if (code.startsWith('Z_')) broken(brokenBy(code));
    throw error;
  }
}

const brokenBy = (code: string) => (code === 'Z_BUF_ERROR' ? 'is incomplete' : 'is not gzip, or is damaged');

/**
 * Inflates compressed bytes. Refuses with `too_large` past `limit` bytes, or as soon as the result is more than 200
 * times its source, however much the limit would still allow. `broken` refuses bytes that cannot be inflated. What comes
 * out is work that was done for the request.
 */
export async function* inflate(
  request: IncomingMessage,
  compressed: AsyncIterable<Uint8Array>,
  inflater: Gunzip | InflateRaw,
  limit: number,
  broken: (why: string) => never,
): AsyncGenerator<Buffer> {
  const source = Readable.from(compressed, { objectMode: false });
  // Errors of the source destroy the inflater; reading from it throws them.
  pipeline(source, inflater, () => undefined);
  let size = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      size += chunk.length;
      addWork(request, chunk.length);
      if (size > limit) refuse('too_large', `The archive is larger than ${formatBytes(limit)} when decompressed.`);
      if (size > ALWAYS_ALLOWED && size > MAX_RATIO * inflater.bytesWritten)
        refuse('too_large', `The archive decompresses to more than ${MAX_RATIO} times its size.`);
      yield chunk;
    }
  } catch (error) {
    const code = codeOf(error);
    if (code.startsWith('Z_')) broken(brokenBy(code));
    throw error;
  } finally {
    inflater.destroy();
    source.destroy();
  }
}
