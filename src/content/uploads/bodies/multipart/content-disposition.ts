import { isUtf8 } from 'node:buffer';
import { refuse } from '../../../../kernel/refusal.js';

const LINE = /^([!#$%&'*+.^_`|~0-9a-z-]+):(.*)$/is;
/** Matches a parameter, whose value is quoted or, as .NET writes it, unquoted. */
const PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))[ \t]*/gisy;
/** Matches an extended value (RFC 5987). Only UTF-8 is supported. */
const EXTENDED = /^utf-?8'[^']*'((?:[!#$&+.^_`|~0-9a-z-]|%[0-9a-f]{2})*)$/is;

/** Matches encoded words (RFC 2047 section 2), which older .NET and Java clients send, although RFC 7578 forbids it. */
const ENCODED_WORDS = /^=\?utf-?8\?[bq]\?[^?\s]*\?=(?:\s+=\?utf-?8\?[bq]\?[^?\s]*\?=)*$/i;
const ENCODED_WORD = /=\?utf-?8\?([bq])\?([^?\s]*)\?=/gi;

/**
 * Matches the headers that nearly all clients send, without escapes. This takes a fifth of the time of the general
 * parser.
 */
const COMMON_FORM =
  /^(?:\r\n)?content-disposition: form-data; name="([\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*)"; filename="([\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*)"(?:\r\ncontent-type: [\x20-\x7e]*)?$/i;

export type Disposition = { readonly name: string | undefined; readonly filename: string | undefined };

/**
 * Parses a part’s headers (RFC 7578 section 4.2). Throws if they are invalid, because skipping the part would lose a
 * file.
 */
export function parseContentDisposition(headers: Buffer): Disposition {
  const common = COMMON_FORM.exec(headers.toString('latin1'));
  if (common) return { name: common[1], filename: withoutEncodedWords(common[2]) };
  if (!isUtf8(headers)) malformed('a part has a header that is not valid UTF-8');
  const fields = new Map<string, string>();
  for (const line of headers.toString('utf8').split('\r\n')) {
    if (line === '') continue;
    const [, name = '', value = ''] = LINE.exec(line) ?? malformed('a part has an invalid header');
    if (/[\r\n]/.test(value)) malformed('a part has a header with a bare line break');
    const key = name.toLowerCase();
    if (fields.has(key)) malformed(`a part has two ${key} headers`);
    fields.set(key, value);
  }
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase() ?? 'binary';
  if (!['7bit', '8bit', 'binary'].includes(encoding))
    malformed('a part has a Content-Transfer-Encoding; send its bytes unencoded (RFC 7578, section 4.7)');
  return read(fields.get('content-disposition') ?? malformed('a part has no Content-Disposition header'));
}

function read(value: string): Disposition {
  const type =
    /^[ \t]*form-data[ \t]*/i.exec(value)?.[0] ?? malformed('the Content-Disposition of a part is not form-data');
  const parameters = new Map<string, string>();
  let at = type.length;
  while (at < value.length) {
    PARAMETER.lastIndex = at;
    const [all, key = '', quoted, bare = ''] =
      PARAMETER.exec(value) ?? malformed('a part has an invalid Content-Disposition header');
    const name = key.toLowerCase();
    if (parameters.has(name)) malformed(`the Content-Disposition of a part has ${name} twice`);
    parameters.set(name, quoted === undefined ? bare : plain(quoted));
    at += all.length;
  }
  const extended = parameters.get('filename*');
  return {
    name: parameters.get('name'),
    filename: extended === undefined ? withoutEncodedWords(parameters.get('filename')) : decoded(extended),
  };
}

/**
 * Unescapes a quoted value. Browsers write `%22` for a quotation mark and `%0D` and `%0A` for line breaks (WHATWG HTML,
 * "multipart/form-data encoding algorithm"), and leave backslashes as they are. Other clients escape quotes and
 * backslashes with a backslash.
 */
const plain = (quoted: string) =>
  quoted
    .replace(/\\(["\\])/gs, '$1')
    .replace(/%22/g, '"')
    .replace(/%0D/gi, '\r')
    .replace(/%0A/gi, '\n');

/** Decodes `filename*`, which .NET sends although RFC 7578 advises against it. */
function decoded(extended: string): string {
  const [, text = ''] =
    EXTENDED.exec(extended) ?? malformed('a part has a filename* that is not UTF-8 in the encoding of RFC 5987');
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed('a part has a filename* that is not UTF-8 in the encoding of RFC 5987');
  }
}

function withoutEncodedWords(filename: string | undefined): string | undefined {
  if (!filename?.startsWith('=?') || !ENCODED_WORDS.test(filename)) return filename;
  const words = [...filename.matchAll(ENCODED_WORD)].map(([, encoding = '', text = '']) =>
    encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text),
  );
  const bytes = Buffer.concat(words);
  return isUtf8(bytes) ? bytes.toString('utf8') : malformed('a part has a filename whose encoded words are not UTF-8');
}

/** Decodes the quoted-printable text of an encoded word (RFC 2047 section 4.2). */
const quotedBytes = (text: string) =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );

/** Throws `invalid_request`. `why` completes "The multipart body is malformed: …". */
export const malformed = (why: string, suggestion?: string): never =>
  refuse(
    'invalid_request',
    `The multipart body is malformed: ${why}.`,
    [{ path: 'body', message: 'is not well-formed multipart/form-data' }],
    { ...(suggestion !== undefined && { suggestion }) },
  );
