import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../deploy-limits.js';
import { assertNoArchive, SIGNATURE_BYTES } from './archives/stored-members.js';
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
  while (reader.buffer.length < SIGNATURE_BYTES && (await reader.more()));
  assertNoArchive(reader.buffer);
  const length = Number(request.headers['content-length']);
  const content =
    charset !== 'utf-8'
      ? inUtf8(rest(reader), charset)
      : reader.buffer.length === length
        ? reader.buffer
        : rest(reader);
  const size = charset === 'utf-8' && length >= 0 ? { size: length } : {};
  yield { path: 'index.html', field: 'body', content, ...size };
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
 * Reads a deploy in any supported format (docs/interface/publishing.md, "Request bodies"). The content of each entry
 * must be consumed before the next entry is requested. Content that cannot be passed on yet is spooled to unnamed files
 * in `folder`, which disappear even if the process is killed. Throws `unsupported_media_type`, `no_files`, or an error
 * of the format.
 */
export function deployBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncIterable<UploadedEntry> {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity')
    refuse('unsupported_media_type', 'The request body must not have a Content-Encoding.', [], {
      suggestion:
        'Send the body without an encoding. For a tar.gz, set Content-Type to application/gzip and leave out Content-Encoding.',
    });

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
    case 'application/x-zip':
      return zipBody(request, limits, folder);
    case 'application/gzip':
    case 'application/x-gzip':
    case 'application/x-tar+gzip':
    case 'application/x-compressed-tar':
    case 'application/x-compressed':
    case 'application/x-tgz':
      return tarBody(request, limits);
    case '':
      return refuse('no_files', 'The request has no body or no Content-Type header.');
    default:
      return refuse(
        'unsupported_media_type',
        'Content-Type must be text/html, application/json, multipart/form-data, application/zip or application/gzip.',
        [],
        { suggestion: suggestType(type) },
      );
  }
}

const OF_AN_ARCHIVE = 'for a zip, "content-type: application/zip"; for a tar.gz, "content-type: application/gzip".';

function suggestType(type: string): string {
  switch (type) {
    case 'application/x-www-form-urlencoded':
      return `This is curl’s default. For a page, add -H "content-type: text/html"; ${OF_AN_ARCHIVE}`;
    case 'application/x-tar':
      return 'Compress the tar, and send it with Content-Type: application/gzip: tar -czf site.tar.gz -C site .';
    case 'application/x-7z-compressed':
    case 'application/vnd.rar':
    case 'application/x-rar-compressed':
      return 'Send a zip or tar.gz archive.';
    default:
      if (type.startsWith('multipart/')) return 'Send a form with Content-Type: multipart/form-data.';
      return `Set the Content-Type of the body. For a page, send "content-type: text/html"; ${OF_AN_ARCHIVE}`;
  }
}
