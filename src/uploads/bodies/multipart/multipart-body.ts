import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import { bodyPieces } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import type { Incoming } from '../uploaded-entry.js';
import { type Disposition, dispositionOf, malformed } from './content-disposition.js';

const LINE_BREAK = Buffer.from('\r\n');
const EMPTY_LINE = Buffer.from('\r\n\r\n');
const HEADERS_UP_TO = 16 * 1024;
const PREAMBLE_UP_TO = 8 * 1024;
const BLANKS_UP_TO = 1024;

/** Bytes of a form: the content it may have, and the headers of each part. */
const formUpTo = ({ deployBytes, files }: DeployLimits) => deployBytes + files * HEADERS_UP_TO + 1_048_576;

/**
 * `multipart/form-data` (RFC 7578): every part is named `files`, its filename is the path. Parts are handed on as they
 * arrive, a whole one where it has arrived already; what is held is one piece of the body. Whatever is not exactly
 * such a body is refused, since a part that is passed over is a file that is lost without a word.
 */
export async function* multipartBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<Incoming> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(request.headers['content-type'] ?? '')}`);
  // The first delimiter may begin the body; with a line break before it, it is like the others.
  const reader = new ByteReader(bodyPieces(request, formUpTo(limits)), LINE_BREAK);
  await skipPreamble(reader, delimiter);

  let index = 0;
  for (; await beginsPart(reader); index++) {
    const field = `files[${index}]`;
    const path = pathOf(dispositionOf(await headersOf(reader)), field);
    const end = reader.buffer.indexOf(delimiter);
    if (end >= 0) {
      const content = reader.take(end);
      reader.take(delimiter.length);
      yield { path, field, content };
    } else {
      const content = pieces(reader, delimiter);
      yield { path, field, content };
      // Whoever left it unread leaves the next part unfound.
      for await (const _ of content);
    }
  }
  if (index === 0) refuse('no_files', 'There is no part named “files”.');
}

/** RFC 2046, section 5.1.1: at most 70 characters of a small set, quoted or not. */
function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s";]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (!/^[0-9a-z'()+_,./:=? -]{0,69}[0-9a-z'()+_,./:=?-]$/i.test(boundary))
    malformed('the content-type has no boundary, or one that may not be');
  return boundary;
}

async function skipPreamble(reader: ByteReader, delimiter: Buffer): Promise<void> {
  const end = await find(reader, delimiter, PREAMBLE_UP_TO, 'it does not begin with its boundary');
  reader.take(end + delimiter.length);
}

/** After a delimiter: a line break begins a part, two dashes end the body. */
async function beginsPart(reader: ByteReader): Promise<boolean> {
  const end = await find(reader, LINE_BREAK, 256, 'its last boundary is missing', '--');
  const rest = reader.take(end).toString('latin1');
  if (/^[ \t]*$/.test(rest)) return true;
  if (!/^--[ \t]*$/.test(rest)) malformed('a line begins with its boundary and goes on');
  while (await reader.more()) if (reader.buffer.length > BLANKS_UP_TO) break;
  if (reader.buffer.length > BLANKS_UP_TO || !/^\s*$/.test(reader.buffer.toString('latin1')))
    malformed('something follows its last boundary');
  return false;
}

async function headersOf(reader: ByteReader): Promise<Buffer> {
  const end = await find(reader, EMPTY_LINE, HEADERS_UP_TO, 'a part has too many headers, or no end of them');
  const headers = reader.take(end);
  reader.take(EMPTY_LINE.length);
  return headers;
}

/** Where `what` begins (or `orStart`, at the very start, ends), within `upTo` bytes. Nothing is taken. */
async function find(reader: ByteReader, what: Buffer, upTo: number, otherwise: string, orStart?: string) {
  for (;;) {
    const at = reader.buffer.indexOf(what);
    if (at >= 0 && at <= upTo) return at;
    if (orStart && reader.buffer.toString('latin1', 0, orStart.length) === orStart) return orStart.length;
    if (at > upTo || reader.buffer.length > upTo + what.length || !(await reader.more())) return malformed(otherwise);
  }
}

/** The content up to the delimiter, and the delimiter taken. */
async function* pieces(reader: ByteReader, delimiter: Buffer): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer } = reader;
    const end = buffer.indexOf(delimiter);
    if (end >= 0) {
      if (end > 0) yield reader.take(end);
      reader.take(delimiter.length);
      return;
    }
    // What may be the beginning of a delimiter waits for the rest.
    const lineBreak = buffer.indexOf(LINE_BREAK.subarray(0, 1), Math.max(0, buffer.length - delimiter.length + 1));
    const sure = lineBreak < 0 ? buffer.length : lineBreak;
    if (sure > 0) yield reader.take(sure);
    if (!(await reader.more())) malformed('it ends within a part');
  }
}

function pathOf({ name, filename }: Disposition, field: string): string {
  if (name !== 'files') {
    const shown = `${name ?? ''}`.replace(/\p{Control}/gu, '\ufffd').slice(0, 100);
    refuse('invalid_request', `A part is named “${shown}”; every part is named “files”.`, [
      { path: field, message: 'is not named “files”' },
    ]);
  }
  if (!filename) refuse('invalid_path', 'A part has no filename.', [{ path: field, message: 'has no filename' }]);
  return filename;
}
