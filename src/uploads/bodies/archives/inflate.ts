import { pipeline, Readable } from 'node:stream';
import type { Gunzip, InflateRaw } from 'node:zlib';
import { codeOf } from '../../../kernel/faults/error-code.js';
import { refuse } from '../../../kernel/refusal.js';

const RATIO = 200;
/** So much is inflated whatever it came from: a page of blanks is no attack. */
const FREE = 1024 * 1024;

/**
 * What compressed bytes stand for. Refuses with `too_large` past `limit` bytes, or as soon as it is more than 200 times
 * what it came from, however much the limit would still allow. `broken` refuses what cannot be inflated.
 */
export async function* inflated(
  compressed: AsyncIterable<Uint8Array>,
  inflater: Gunzip | InflateRaw,
  limit: number,
  broken: (why: string) => never,
): AsyncGenerator<Buffer> {
  const source = Readable.from(compressed, { objectMode: false });
  // Errors of the source destroy the inflater, and are thrown by reading from it.
  pipeline(source, inflater, () => undefined);
  let size = 0;
  try {
    for await (const piece of inflater as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limit) refuse('too_large', `The archive has more than ${limit} bytes in it.`);
      if (size > FREE && size > RATIO * inflater.bytesWritten)
        refuse('too_large', `The archive inflates to more than ${RATIO} times its size.`);
      yield piece;
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
