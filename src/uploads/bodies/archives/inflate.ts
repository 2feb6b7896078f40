import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Gunzip, InflateRaw } from 'node:zlib';
import { codeOf } from '../../../kernel/faults/error-code.js';
import { refuse } from '../../../kernel/refusal.js';
import { addWork } from '../../../kernel/work-done.js';

const MAX_RATIO = 200;
/** Up to this size any ratio is allowed: a page of blanks is no attack. */
const ALWAYS_ALLOWED = 1024 * 1024;

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
      if (size > limit) refuse('too_large', `The archive has more than ${limit} bytes in it.`);
      if (size > ALWAYS_ALLOWED && size > MAX_RATIO * inflater.bytesWritten)
        refuse('too_large', `The archive inflates to more than ${MAX_RATIO} times its size.`);
      yield chunk;
    }
  } catch (error) {
    const code = codeOf(error);
    if (code.startsWith('Z_')) broken(code === 'Z_BUF_ERROR' ? 'ends too early' : 'cannot be inflated');
    throw error;
  } finally {
    inflater.destroy();
    source.destroy();
  }
}
