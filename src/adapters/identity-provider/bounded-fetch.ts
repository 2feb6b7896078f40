import type { CustomFetch } from 'openid-client';
import { formatBytes } from '../../kernel/output/quantities.js';

/** More than any metadata, key set or token. Bytes. */
const MOST_BYTES = 524_288;

/** Fetches until the deadline, body included, and no more than a provider has to say. */
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

/** Null for what cannot have one. */
async function bodyOf({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MOST_BYTES) throw new RangeError(`The response is larger than ${formatBytes(MOST_BYTES)}`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
