import type { IncomingMessage } from 'node:http';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';

/**
 * One entry in the body of a deploy. `field` is its location in the request (such as `files[3]`), for error messages.
 * `path` is the path as it was sent, and has not been checked yet.
 */
export type UploadedEntry = { readonly path: string; readonly field: string } & (
  | {
      readonly content: Uint8Array | AsyncIterable<Uint8Array>;
      /**
       * True for an entry of an archive. If a single folder contains the whole archive, that folder may be stripped.
       */
      readonly inArchive?: true;
      /** A likely mistake of the archive, about this entry. */
      readonly warning?: string;
    }
  /** Reference to content that the caller already owns: its SHA-256 in 64 hexadecimal digits. */
  | { readonly sha256: string }
  /** The path is to be removed from the live deploy. */
  | { readonly delete: true }
  /** The reason why the entry was left out of the site. */
  | { readonly leftOut: string }
);

/**
 * Yields the chunks of a request body as they arrive. Throws `too_large` if the body is larger than `limit`. If
 * Content-Length is too large, throws before reading anything. Throws `invalid_request` if the connection closes early.
 * Stopping before the end does not destroy the socket, because the response still has to be sent on it.
 */
export function bodyChunks(request: IncomingMessage, limit = Infinity): AsyncIterable<Buffer> {
  const tooLarge = () => refuse('too_large', `The request body must not be larger than ${formatBytes(limit)}.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) tooLarge();
  return counted(request, limit, tooLarge);
}

async function* counted(request: IncomingMessage, limit: number, tooLarge: () => never): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) tooLarge();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : cutShort();
  }
}

/** The client has disconnected. The request still gets a response, which must not blame the server. */
const cutShort = () =>
  new Refusal('invalid_request', 'The connection closed before the whole request body was received.');
