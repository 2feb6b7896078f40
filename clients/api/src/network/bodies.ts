import { NetworkError } from '../problem.js';

const MIB = 1024 * 1024;
/**
 * Limit for a response that is kept in memory. The largest responses compare two deploys of 20,000 files. They have about
 * 10 MiB, or 50 MiB if each path has a thousand characters.
 */
const MAX_BYTES = 64 * MIB;
/** Limit for a line of a stream. The longest lines contain an event of about 20 KiB. */
export const MAX_LINE_LENGTH = 4 * MIB;
const CHUNK_BYTES = 64 * 1024;

/** Throws NetworkError if an instance sends more than `most` bytes, as no service does. */
export function assertFits(bytes: number, most: number, url: string): void {
  if (bytes > most) throw new NetworkError(url, `it sent more than ${most / MIB} MiB`);
}

/** Reads a response into memory. Throws NetworkError if it is too large. */
export async function readWhole(response: Response, onChunk?: () => void): Promise<Response> {
  const { body, url } = response;
  if (!body) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    assertFits(bytes, MAX_BYTES, url);
    chunks.push(chunk);
    onChunk?.();
  }
  // The constructor has no parameter for the URL.
  return Object.defineProperty(new Response(new Blob(chunks), response), 'url', { value: url });
}

/**
 * Returns the body of a request in chunks. Node's `fetch` would send it in one piece, and could not tell a slow connection
 * from a silent one.
 */
export function splitContent(content: Uint8Array, onChunk?: () => void) {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        onChunk?.();
        controller.enqueue(content.subarray(at, at + CHUNK_BYTES));
        at += CHUNK_BYTES;
        if (at >= content.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, duplex: 'half' as const };
}
