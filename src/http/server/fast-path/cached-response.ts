import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

/** A whole answer that needs nothing more to be sent but the time and what becomes of the connection. */
export type AnswerAtHand = {
  /** The status line and the fields, each with its end; see `headText`. */
  readonly head: string;
  /** Bytes, or a string of one byte a character; null for an answer without content. */
  readonly body: Buffer | string | null;
};

/** Names and values by turns. Throws, as Node does, for what cannot stand in a head. */
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
