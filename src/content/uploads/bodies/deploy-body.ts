import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../deploy-limits.js';
import { tarBody } from './archives/tar-body.js';
import { zipBody } from './archives/zip-body.js';
import { bodyChunks, type UploadedEntry } from './body-chunks.js';
import { ByteReader } from './byte-reader.js';
import { jsonBody } from './json/json-body.js';
import { multipartBody } from './multipart/multipart-body.js';

/** Reads a single page (`text/html`), which becomes `index.html`. */
async function* htmlBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const charset = charsetOf(request.headers['content-type'] ?? '');
  const reader = new ByteReader(bodyChunks(request, limits.bodyBytes));
  if (!(await reader.more())) refuse('no_files', 'The request body is empty.');
  const length = Number(request.headers['content-length']);
  const content =
    charset !== 'utf-8'
      ? inUtf8(rest(reader), charset)
      : reader.buffer.length === length
        ? reader.buffer
        : rest(reader);
  yield { path: 'index.html', field: 'body', content };
}

/** Returns the charset’s name in the Encoding Standard. Refuses an unknown charset with `unsupported_media_type`. */
function charsetOf(contentType: string): string {
  const [, quoted, bare] = /;\s*charset=(?:"([^"]*)"|([^\s";]+))/i.exec(contentType) ?? [];
  const label = quoted ?? bare ?? 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return refuse(
      'unsupported_media_type',
      `The Content-Type has an unknown charset, “${label.slice(0, 40).replace(/\p{Control}/gu, '\ufffd')}”.`,
      [],
      { suggestion: 'Send the page as UTF-8, with Content-Type: text/html; charset=utf-8.' },
    );
  }
}

/** Converts a page to UTF-8, the default charset of served pages. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(charset);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* rest(reader: ByteReader): AsyncGenerator<Uint8Array> {
  do yield reader.take(reader.buffer.length);
  while (await reader.more());
}

/**
 * Reads a deploy in any supported format (docs/interface/publishing.md, "Request bodies"). The content of an entry must
 * be consumed before the next entry is requested. Content that cannot be passed on yet is spooled to unnamed files in
 * `folder`, which disappear even if the process is killed. Throws `unsupported_media_type`, `no_files`, or an error of
 * the format.
 */
export function deployBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncIterable<UploadedEntry> {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') refuse('unsupported_media_type', 'The request body must not have a Content-Encoding.');

  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  switch (type) {
    case 'text/html':
      return htmlBody(request, limits);
    case 'application/json':
      return jsonBody(request, limits, folder);
    case 'multipart/form-data':
      return multipartBody(request, limits);
    case 'application/zip':
    case 'application/x-zip-compressed':
      return zipBody(request, limits, folder);
    case 'application/gzip':
    case 'application/x-gzip':
    case 'application/x-tar+gzip':
      return tarBody(request, limits);
    case '':
      return refuse('no_files', 'The request has no body or no Content-Type header.');
    default:
      return refuse(
        'unsupported_media_type',
        'Content-Type must be text/html, application/json, multipart/form-data, application/zip or application/gzip.',
        [],
        type === 'application/x-www-form-urlencoded'
          ? { suggestion: 'This is the default of curl. For a page, add -H "content-type: text/html".' }
          : {},
      );
  }
}
