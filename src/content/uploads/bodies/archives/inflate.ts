import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createGunzip, type Gunzip, gunzipSync, type InflateRaw } from 'node:zlib';
import { readErrorCode } from '../../../../kernel/faults/error-code.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { addWork } from '../../../../kernel/work-done.js';

const MAX_RATIO = 200;
/** Inflated size up to which any compression ratio is allowed. A page full of spaces is not an attack. */
const ALWAYS_ALLOWED = 1024 * 1024;

/** Maximum size of a gzip file that is inflated in one call, provided that the result fits in AT_ONCE_INFLATED. */
const AT_ONCE = 64 * 1024;
const AT_ONCE_INFLATED = 512 * 1024;

/** Number of chunks of a larger body that are inflated together. If the sender is fast, each chunk has 64 KiB. */
const GATHERED = 16;
/** Size of the chunks that the inflater outputs. */
const INFLATED = 512 * 1024;

/**
 * Inflates a gzip body. A small body of known length is inflated in one call, because a stream and its round trips to
 * the thread pool would take longer than the rest of a small deploy.
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
 * Merges the chunks that have already arrived, because each chunk makes a round trip to the thread pool. Does not wait
 * for more chunks, so that bytes of a slow sender are checked immediately.
 */
async function* gathered(request: IncomingMessage, compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  for await (const piece of compressed) {
    pieces.push(piece);
    if (pieces.length < GATHERED) {
      // Waits for the next read from the socket, which happens once per iteration of the event loop.
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

/** Inflates a gzip file in one call. Returns null if the result is larger than `limit`. */
function inflatedAtOnce(whole: Buffer, limit: number, broken: (why: string) => never): Buffer | null {
  try {
    return gunzipSync(whole, { maxOutputLength: limit });
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') return null;
    if (code.startsWith('Z_')) broken(brokenBy(code));
    throw error;
  }
}

const brokenBy = (code: string) => (code === 'Z_BUF_ERROR' ? 'is incomplete' : 'is not gzip, or is damaged');

/**
 * Inflates compressed bytes, and counts the size of the result as work of the request. Throws `too_large` if the result
 * exceeds `limit` or 200 times the size of its source. Calls `broken`, which throws, if the bytes cannot be inflated.
 */
export async function* inflate(
  request: IncomingMessage,
  compressed: AsyncIterable<Uint8Array>,
  inflater: Gunzip | InflateRaw,
  limit: number,
  broken: (why: string) => never,
): AsyncGenerator<Buffer> {
  const source = Readable.from(compressed, { objectMode: false });
  // An error in the source destroys the inflater, so that reading from the inflater throws the error.
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
    const code = readErrorCode(error);
    if (code.startsWith('Z_')) broken(brokenBy(code));
    throw error;
  } finally {
    inflater.destroy();
    source.destroy();
  }
}
