const MIB = 1024 * 1024;
/**
 * Limit for a response that is kept in memory. The largest responses compare two deploys of 20,000 files. They have a
 * size of about 10 MiB, or 50 MiB if each path has a thousand characters.
 */
const MAX_BYTES = 64 * MIB;
/** Limit for a line of a stream. The longest lines contain an event of about 20 KiB. */
const MAX_LINE_LENGTH = 4 * MIB;
const CHUNK_BYTES = 64 * 1024;
/** Counted for each chunk in addition to its content. Otherwise, a response of many tiny chunks could fill memory. */
const CHUNK_OVERHEAD = 100;

/** The instance sent a larger response or line than a Stele service ever does. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';

  constructor(url: string, what: string, most: number) {
    super(`${new URL(url).origin} sent ${what} of more than ${most / MIB} MiB.`);
  }
}

/** Throws ResponseTooLargeError if a line of a stream is too long. */
export function assertLineFits(length: number, url: string): void {
  if (length > MAX_LINE_LENGTH) throw new ResponseTooLargeError(url, 'a line', MAX_LINE_LENGTH);
}

/** Reads a response into memory. Throws ResponseTooLargeError if it is too large. */
export async function readWhole(response: Response, onChunk?: () => void): Promise<Response> {
  const { status, headers, url } = response;
  if (!response.body) return response;
  const content = await readContent(response, onChunk);
  // The Response constructor has no parameter for the URL. The status text is omitted, because it can contain
  // characters that the constructor refuses.
  return Object.defineProperty(new Response(content, { status, headers }), 'url', { value: url });
}

/** Reads the body of a response into memory. Throws ResponseTooLargeError if it is too large. */
export async function readContent({ body, url }: Response, onChunk?: () => void): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length + CHUNK_OVERHEAD;
    if (bytes > MAX_BYTES) throw new ResponseTooLargeError(url, 'a response', MAX_BYTES);
    chunks.push(chunk);
    onChunk?.();
  }
  return new Blob(chunks);
}

/** Called with the number of bytes sent. The number is negative if bytes have to be sent again. */
export type SentBytes = (bytes: number) => void;

/**
 * Returns the body of a request in chunks. For each chunk, calls `onChunk` with the position of its end. If the body
 * were sent in one piece, a slow connection could not be distinguished from a stalled one.
 */
export function splitContent(content: Uint8Array, onChunk?: (end: number) => void) {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(content.subarray(at, at + CHUNK_BYTES));
        at = Math.min(at + CHUNK_BYTES, content.length);
        onChunk?.(at);
        if (at === content.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, duplex: 'half' as const };
}
