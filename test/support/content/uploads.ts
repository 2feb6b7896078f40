import { createHash, randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export function bytesLike(size: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(size));
}

export type UploadAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
};

type Sent = {
  readonly method?: 'PUT' | 'PATCH' | 'HEAD' | 'DELETE';
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Cuts the connection after this many bytes of the body. */
  readonly cutAfter?: number;
};

/** Each request has its own connection, so that a connection closed by a refusal does not look like a cut upload. */
const agent = new Agent({ keepAlive: false });

/** Sends an upload request, and returns the response, or null if either side closed the connection before a response. */
export async function upload(base: string, sha256: string, sent: Sent): Promise<UploadAnswer | null> {
  const { method = 'PUT', headers = {}, body, cutAfter } = sent;
  const asked = request(`${base}/v1/uploads/${sha256}`, { method, headers, agent });
  const answered = once(asked, 'response').then(
    ([response]) => response as IncomingMessage,
    () => null,
  );
  const closed = once(asked, 'close').catch(() => null);
  let isCut = false;
  void closed.then(() => {
    isCut = true;
  });
  let written = 0;
  const chunks = body instanceof Uint8Array ? [body] : (body ?? []);
  const isOver = () => isCut || asked.destroyed || asked.writableEnded;
  for await (const chunk of chunks) {
    if (isOver()) break;
    const part = cutAfter === undefined ? chunk : chunk.subarray(0, Math.max(0, cutAfter - written));
    written += part.length;
    if (!asked.write(part)) await Promise.race([once(asked, 'drain').catch(() => null), answered, closed]);
    if (isOver()) break;
    if (cutAfter !== undefined && written >= cutAfter) {
      await new Promise((resolve) => setImmediate(resolve));
      asked.destroy();
      return null;
    }
  }
  if (!isOver()) asked.end();
  const response = await answered;
  if (!response) return null;
  const said = await text(response).catch(() => '');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: said.startsWith('{') ? JSON.parse(said) : {},
  };
}

/**
 * Returns the number of stored bytes of an upload. Returns null if there are none, or if the service does not respond.
 */
export async function offsetOf(base: string, sha256: string, headers: OutgoingHttpHeaders): Promise<number | null> {
  const answer = await upload(base, sha256, { method: 'HEAD', headers });
  return answer?.status === 204 ? Number(answer.headers['upload-offset']) : null;
}
