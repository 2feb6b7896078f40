import type { IncomingMessage } from 'node:http';
import { formatBytes, formatExcess } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';

/**
 * An entry of a deploy’s body. `field` is its location in the request (such as `files[3]`), for error messages. `path`
 * has not been checked.
 */
export type UploadedEntry = { readonly path: string; readonly field: string } & (
  | {
      readonly content: Uint8Array | AsyncIterable<Uint8Array>;
      /**
       * True for an entry of an archive. If the whole archive is in a single folder, that folder may be stripped from
       * the path.
       */
      readonly inArchive?: true;
      /** True for a file in a form. Some clients send the filename without its folder. */
      readonly inForm?: true;
      /** Size of the content in bytes, if it is known before the content has been read. */
      readonly size?: number;
      /** Warning about a likely problem with this entry of an archive. */
      readonly warning?: string;
    }
  /** SHA-256 of content that the caller already owns, in 64 hexadecimal digits. */
  | { readonly sha256: string }
  /** The file at this path is removed from the live deploy. */
  | { readonly delete: true }
  /** The reason why the entry was left out of the site. */
  | { readonly leftOut: string }
);

/** Suggestion to send a file’s path in a form. By default, most clients send only the last segment of the path. */
export const PATH_AS_FILENAME =
  'Give each part its path as the filename: curl -F "files=@app.js;filename=assets/app.js", or form.append("files", file, "assets/app.js").';

type LargeBody = {
  /** Another way to send the content. */
  readonly suggestion?: string;
};

/**
 * Yields a request body as it arrives. Throws `too_large` if the body is larger than `limit`, without reading any of it
 * if Content-Length is too large. Throws `invalid_request` if the connection closes early. Keeps the socket open if the
 * caller stops early, because the response still has to be sent.
 */
export function bodyChunks(request: IncomingMessage, limit = Infinity, large: LargeBody = {}): AsyncIterable<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) refuseBodySize(request, limit, large);
  return counted(request, limit, large);
}

/** Refuses with `too_large`. The message contains the size of the body if the request has a Content-Length. */
function refuseBodySize({ headers }: IncomingMessage, limit: number, large: LargeBody): never {
  const sent = headers['content-length'];
  return refuse(
    'too_large',
    sent === undefined
      ? `The request body is larger than the limit of ${formatBytes(limit)}.`
      : `The request body is ${formatExcess(Number(sent), limit).join(', but the limit is ')}.`,
    [],
    large,
  );
}

async function* counted(request: IncomingMessage, limit: number, large: LargeBody): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) refuseBodySize(request, limit, large);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : cutShort();
  }
}

/** Error for a request whose client has disconnected. The message must not blame the server. */
const cutShort = () =>
  new Refusal('invalid_request', 'The connection closed before the whole request body was received.');
