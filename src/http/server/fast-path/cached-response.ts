import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

/** A complete response, to which the fast path only adds the `Date` and `Connection` fields. */
export type CachedResponse = {
  /** The status line and the header fields, each with its line break; see `headText`. */
  readonly head: string;
  /** Bytes, or a string with one byte in each character (latin1); null for a response without content. */
  readonly body: Buffer | string | null;
};

/**
 * The status line and fields of a response, as text. `fields` has names and values by turns. Throws, as Node does, for
 * a name or value that may not stand in a header.
 */
export function headText(status: number, fields: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}
