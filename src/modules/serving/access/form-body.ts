import type { IncomingMessage } from 'node:http';

/** Fits an escaped password of 1,024 bytes and a path. */
const MOST = 16_384;

/** Time that a visitor has to send the form. */
const SENT_WITHIN_MS = 10_000;

/** Resolves to the fields of a submitted form, or to the status to refuse the request with. */
export async function formBody(request: IncomingMessage): Promise<URLSearchParams | 400 | 413 | 415> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return 415;
  const timer = setTimeout(() => request.destroy(), SENT_WITHIN_MS);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      size += piece.length;
      if (size > MOST) return 413;
      pieces.push(piece);
    }
    return new URLSearchParams(Buffer.concat(pieces).toString('utf8'));
  } catch {
    // The visitor has left and receives no response.
    return 400;
  } finally {
    clearTimeout(timer);
  }
}
