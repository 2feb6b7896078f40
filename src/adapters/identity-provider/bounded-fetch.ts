import type { CustomFetch } from 'openid-client';
import { formatBytes } from '../../kernel/output/quantities.js';

/** Maximum size of a response. Metadata documents, key sets and token responses are smaller. */
const MAX_BYTES = 524_288;

/** Returns a function like `fetch` with a maximum body size and a deadline that includes reading the body. */
export const boundedFetch =
  (deadline: AbortSignal): CustomFetch =>
  async (url, { body, headers, method, redirect }) => {
    const answer = await fetch(url, {
      body: body ?? null,
      headers,
      method,
      redirect,
      signal: deadline,
    });
    const { status } = answer;
    return new Response(await bodyOf(answer), { status, headers: answer.headers });
  };

/** Returns a response's body, or null if it cannot have a body. */
async function bodyOf({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_BYTES) throw new RangeError(`The response is larger than ${formatBytes(MAX_BYTES)}`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
