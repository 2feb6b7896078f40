import type { IncomingMessage } from 'node:http';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { explainOmission } from '../../checks/omitted-files.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { bodyChunks, PATH_AS_FILENAME, type UploadedEntry } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import { type Disposition, malformed, parseContentDisposition } from './content-disposition.js';

const LINE_BREAK = Buffer.from('\r\n');
const EMPTY_LINE = Buffer.from('\r\n\r\n');
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_PREAMBLE_BYTES = 8 * 1024;
const MAX_EPILOGUE_BYTES = 1024;

const maxFormBytes = ({ deployBytes, files }: DeployLimits) => deployBytes + files * MAX_HEADER_BYTES + 1_048_576;

/**
 * Parses `multipart/form-data` (RFC 7578), in which each part must be named `files` and have its path as filename.
 * Yields parts as they arrive, or as one chunk if they have arrived completely. Buffers only one chunk of the body.
 * Refuses parts with other names, because skipping them would silently lose files. A folder uploaded by a browser is
 * treated like an archive: the folder’s name is stripped, and file manager metadata is left out.
 */
export async function* multipartBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(request.headers['content-type'] ?? '')}`);
  // Read a line break before the body, so that a delimiter at the start of the body looks like all others.
  const reader = new ByteReader(bodyChunks(request, maxFormBytes(limits)), LINE_BREAK);
  await skipPreamble(reader, delimiter);

  let index = 0;
  for (; await beginsPart(reader); index++) {
    const field = `files[${index}]`;
    const disposition = parseContentDisposition(await headersOf(reader));
    if (disposition.filename === '') {
      await skipEmptyPart(reader, delimiter, field);
      index--;
      continue;
    }
    const path = pathOf(disposition, field);
    const leftOut = explainOmission(path);
    if (leftOut !== null) {
      yield { path, field, leftOut };
      for await (const _ of contentChunks(reader, delimiter));
      continue;
    }
    const end = reader.buffer.indexOf(delimiter);
    if (end >= 0) {
      const content = reader.take(end);
      reader.take(delimiter.length);
      yield { path, field, ...inForm(path), content };
    } else {
      const content = contentChunks(reader, delimiter);
      yield { path, field, ...inForm(path), content };
      // Skips content that the caller did not read, because the next part follows it.
      for await (const _ of content);
    }
  }
  if (index === 0) refuse('no_files', 'The form contains no files. Send each file in a part named “files”.');
}

const inForm = (path: string) =>
  ({ inArchive: true, inForm: true, ...(path === 'blob' && { warning: UNNAMED_BLOB }) }) as const;

/** Warning about the filename that JavaScript gives a Blob by default (XMLHttpRequest Standard, “create an entry”). */
const UNNAMED_BLOB =
  'JavaScript gives a Blob this name by default. Pass a filename: form.append("files", blob, "index.html").';

/** Extracts the boundary (RFC 2046 section 5.1.1), which has up to 70 characters and can be quoted. */
function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s";]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined)
    return malformed(
      'the Content-Type has no boundary',
      'Do not set Content-Type yourself. fetch, axios and other clients then set it, including the boundary.',
    );
  if (!/^[0-9a-z'()+_,./:=? -]{0,69}[0-9a-z'()+_,./:=?-]$/i.test(boundary))
    malformed('the Content-Type has an invalid boundary');
  return boundary;
}

const UNIX_LINES = 'its lines must end in CRLF';

async function skipPreamble(reader: ByteReader, delimiter: Buffer): Promise<void> {
  const end = await find(reader, delimiter, MAX_PREAMBLE_BYTES, 'the body does not start with its boundary');
  reader.take(end + delimiter.length);
}

/** Reports whether a delimiter begins a part (a line break follows it) or ends the body (two dashes). */
async function beginsPart(reader: ByteReader): Promise<boolean> {
  const end = await find(reader, LINE_BREAK, 256, 'the final boundary is missing', '--');
  const rest = reader.take(end).toString('latin1');
  if (/^[ \t]*$/.test(rest)) return true;
  if (!/^--[ \t]*$/.test(rest)) malformed('a boundary is followed by other text on its line');
  while (await reader.more()) if (reader.buffer.length > MAX_EPILOGUE_BYTES) break;
  if (reader.buffer.length > MAX_EPILOGUE_BYTES || !/^\s*$/.test(reader.buffer.toString('latin1')))
    malformed('there is data after the final boundary');
  return false;
}

async function headersOf(reader: ByteReader): Promise<Buffer> {
  const end = await find(
    reader,
    EMPTY_LINE,
    MAX_HEADER_BYTES,
    `the headers of a part are longer than ${formatBytes(MAX_HEADER_BYTES)}`,
  );
  const headers = reader.take(end);
  reader.take(EMPTY_LINE.length);
  return headers;
}

/**
 * Returns the position of `needle` within the next `maxBytes` bytes, or the length of `orStart` if the buffer starts
 * with it. Throws an error with `problem` if neither is found. Consumes nothing.
 */
async function find(reader: ByteReader, needle: Buffer, maxBytes: number, problem: string, orStart?: string) {
  for (;;) {
    const at = reader.buffer.indexOf(needle);
    if (at >= 0 && at <= maxBytes) return at;
    if (orStart && reader.buffer.toString('latin1', 0, orStart.length) === orStart) return orStart.length;
    if (at > maxBytes || reader.buffer.length > maxBytes + needle.length || !(await reader.more()))
      return malformed(/^[ \t]{0,99}\n/.test(reader.buffer.toString('latin1', 0, 100)) ? UNIX_LINES : problem);
  }
}

/** Yields content up to the delimiter, then consumes the delimiter. */
async function* contentChunks(reader: ByteReader, delimiter: Buffer): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer } = reader;
    const end = buffer.indexOf(delimiter);
    if (end >= 0) {
      if (end > 0) yield reader.take(end);
      reader.take(delimiter.length);
      return;
    }
    // The end of the buffer may be the start of a delimiter, so keep it until more data arrives.
    const lineBreak = buffer.indexOf(LINE_BREAK.subarray(0, 1), Math.max(0, buffer.length - delimiter.length + 1));
    const sure = lineBreak < 0 ? buffer.length : lineBreak;
    if (sure > 0) yield reader.take(sure);
    if (!(await reader.more())) malformed('the body ends in the middle of a part');
  }
}

/** Skips the part with an empty filename that browsers send for an empty file field. */
async function skipEmptyPart(reader: ByteReader, delimiter: Buffer, field: string): Promise<void> {
  for await (const chunk of contentChunks(reader, delimiter)) if (chunk.length > 0) refuseNameless(field);
}

const refuseNameless = (field: string): never =>
  refuse('invalid_path', 'A part has no filename.', [{ path: field, message: 'must have a filename' }], {
    suggestion: PATH_AS_FILENAME,
  });

function pathOf({ name, filename }: Disposition, field: string): string {
  if (name !== 'files') {
    const shown = `${name ?? ''}`.replace(/\p{Control}/gu, '\ufffd').slice(0, 100);
    refuse(
      'invalid_request',
      `A part is named “${shown}”. Every part must be named “files”.`,
      [{ path: field, message: 'must be named “files”' }],
      {
        suggestion:
          'Name the part of each file “files”, and send no other parts: form.append("files", file, "assets/app.js").',
      },
    );
  }
  return filename ?? refuseNameless(field);
}
