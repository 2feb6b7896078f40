import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { PlainRequest } from '../../fast/lane/plain-request.js';

/**
 * Told of a response when all of it is on its way, or its visitor has gone: of how many bytes of content then were sent,
 * when its request came (milliseconds since 1970; null for just now), how long it took (ms), and from which address.
 */
export type OnSent = (
  request: PlainRequest,
  status: number,
  bytes: number,
  at: number | null,
  ms: number,
  peer: string,
) => void;

/** A complete response, to which the fast path only adds the `Date` and `Connection` fields. */
export type CachedResponse = {
  /** The status line and the header fields, each with its line break; see `headText`. */
  readonly head: string;
  /** Bytes, or a string with one byte in each character (latin1); null for a response without content. */
  readonly body: Buffer | string | null;
  readonly status: number;
  readonly onSent: OnSent | null;
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
