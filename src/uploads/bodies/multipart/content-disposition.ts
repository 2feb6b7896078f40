import { isUtf8 } from 'node:buffer';
import { refuse } from '../../../kernel/refusal.js';

const LINE = /^([!#$%&'*+.^_`|~0-9a-z-]+):[ \t]*(.*)$/is;
/** A quoted value, or a bare one as .NET writes it. */
const PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))[ \t]*/gisy;
/** RFC 5987, of which UTF-8 is taken. */
const EXTENDED = /^utf-8'[^']*'((?:[!#$&+.^_`|~0-9a-z-]|%[0-9a-f]{2})*)$/is;

/** As nearly everybody writes them: nothing in it has to be undone, and reading it takes a fifth of the time. */
const USUAL =
  /^(?:\r\n)?content-disposition: form-data; name="([\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*)"; filename="([\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*)"(?:\r\ncontent-type: [\x20-\x7e]*)?$/i;

export type Disposition = { readonly name: string | undefined; readonly filename: string | undefined };

/**
 * What the headers of a part say: its name and filename (RFC 7578, section 4.2). Nothing is passed over: headers that
 * cannot be read are a malformed body, since a part that is skipped is a file that is lost.
 */
export function dispositionOf(headers: Buffer): Disposition {
  const usual = USUAL.exec(headers.toString('latin1'));
  if (usual) return { name: usual[1], filename: usual[2] };
  if (!isUtf8(headers)) malformed('a part has a header that is not UTF-8');
  const named = new Map<string, string>();
  for (const line of headers.toString('utf8').split('\r\n')) {
    if (line === '') continue;
    const [, name = '', value = ''] = LINE.exec(line) ?? malformed('a part has a header that cannot be read');
    if (/[\r\n]/.test(value)) malformed('a part has a header with a bare line break');
    const key = name.toLowerCase();
    if (named.has(key)) malformed(`a part has the header ${key} twice`);
    named.set(key, value);
  }
  const encoding = named.get('content-transfer-encoding')?.trim().toLowerCase() ?? 'binary';
  if (!['7bit', '8bit', 'binary'].includes(encoding))
    malformed('a part has a content-transfer-encoding; send the bytes as they are (RFC 7578, section 4.7)');
  return read(named.get('content-disposition') ?? malformed('a part has no content-disposition'));
}

function read(value: string): Disposition {
  const type = /^[ \t]*form-data[ \t]*/i.exec(value)?.[0] ?? malformed('a part is not form-data');
  const given = new Map<string, string>();
  let at = type.length;
  while (at < value.length) {
    PARAMETER.lastIndex = at;
    const [all, key = '', quoted, bare = ''] =
      PARAMETER.exec(value) ?? malformed('a part has a content-disposition that cannot be read');
    const name = key.toLowerCase();
    if (given.has(name)) malformed(`a part has two of ${name}`);
    given.set(name, quoted === undefined ? bare : plain(quoted));
    at += all.length;
  }
  const extended = given.get('filename*');
  return { name: given.get('name'), filename: extended === undefined ? given.get('filename') : decoded(extended) };
}

/**
 * Browsers write `%22` for a quotation mark and `%0D`, `%0A` for line breaks (WHATWG HTML, “multipart/form-data
 * encoding algorithm”), and a backslash as it is; others write a backslash before both.
 */
const plain = (quoted: string) =>
  quoted
    .replace(/\\(["\\])/gs, '$1')
    .replace(/%22/g, '"')
    .replace(/%0D/gi, '\r')
    .replace(/%0A/gi, '\n');

/** RFC 7578 advises against `filename*`, but .NET sends it beside a `filename` that only mail programs can read. */
function decoded(extended: string): string {
  const [, text = ''] = EXTENDED.exec(extended) ?? malformed('a part has a filename* that is not RFC 5987 in UTF-8');
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed('a part has a filename* that is not RFC 5987 in UTF-8');
  }
}

export const malformed = (why: string): never =>
  refuse('invalid_request', `The multipart body is malformed: ${why}.`, [
    { path: 'body', message: 'is not well-formed multipart/form-data' },
  ]);
