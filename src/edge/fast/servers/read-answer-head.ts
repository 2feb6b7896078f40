import type { AnswerFields } from '../../http/proxy/answer-fields.js';
import { withoutHopByHop } from '../../http/proxy/hop-by-hop.js';

/** A head may have so many bytes: twice what ours may. */
export const HEAD_UP_TO = 32 * 1_024;

/** How the end of a body is found (RFC 9112 section 6.3). */
export type AnswerFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until closed' };

/** The head of a program’s answer. */
export type AnswerHead = {
  readonly status: number;
  /** Names and values by turns, without what is about this one connection, and without how long the body is. */
  readonly fields: readonly string[];
  readonly framing: AnswerFraming;
  /** What it says of its length, also where it has no body; null where it says nothing. */
  readonly length: number | null;
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean;
  /** How long the program keeps it then, in milliseconds; null where it does not say. */
  readonly keepAliveMs: number | null;
  /** What `by` has made of it for visitors, to be used again: the same head may come again. */
  made: { readonly by: object; readonly fields: AnswerFields; readonly isHtml: boolean } | null;
};

/** The program does not answer in HTTP/1.1 as RFC 9112 has it. `message` says what is wrong, for the site’s owner. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/**
 * A status line and fields in their strictest form: every line ended by CR LF, no folding, no blank before a colon, no
 * control characters. What two parsers may read differently is what smuggling is made of.
 */
const HEAD =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/** Where such a head has them. */
const MINOR_AT = 'HTTP/1.'.length;
const STATUS_AT = 'HTTP/1.1 '.length;

const LENGTH = /^\d{1,15}$/;
const KEPT_FOR = /(?:^|,)\s?timeout=(\d{1,6})(?:$|,)/i;

/** Reads a whole head, its empty line included. Throws `MalformedAnswer`. */
export function readAnswerHead(text: string, isAnswerToHead: boolean): AnswerHead {
  // Without groups, as making their texts takes as long as looking at all of it.
  if (!HEAD.test(text)) throw new MalformedAnswer('The server’s response does not start with a valid HTTP/1.1 head.');
  const all: string[] = [];
  let connection = '';
  let coding: string | null = null;
  let length: number | null = null;
  let keptFor: string | null = null;
  const last = text.length - '\r\n'.length;
  for (let at = text.indexOf('\n') + 1; at < last; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    const name = text.slice(at, colon);
    const value = between(text, colon + 1, end);
    at = end + 2;
    switch (name.length) {
      case 10:
        if (name.toLowerCase() === 'connection') {
          connection += `,${value.toLowerCase()}`;
          continue;
        }
        if (name.toLowerCase() === 'keep-alive') {
          keptFor = value;
          continue;
        }
        break;
      case 14:
        if (name.toLowerCase() !== 'content-length') break;
        if (length !== null || !LENGTH.test(value))
          throw new MalformedAnswer('The server’s response has an invalid or repeated Content-Length.');
        length = Number(value);
        continue;
      case 17:
        if (name.toLowerCase() !== 'transfer-encoding') break;
        if (coding !== null || value.toLowerCase() !== 'chunked')
          throw new MalformedAnswer('The server’s response has a transfer coding other than “chunked”.');
        coding = value;
        continue;
    }
    all.push(name, value);
  }
  if (coding !== null && length !== null)
    throw new MalformedAnswer('The server’s response has both Content-Length and Transfer-Encoding.');
  const isHttp10 = text[MINOR_AT] === '0';
  if (coding !== null && isHttp10)
    throw new MalformedAnswer('The server’s response is HTTP/1.0 and chunked, which HTTP/1.0 does not support.');
  const status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
  const hasNoBody = isAnswerToHead || status < 200 || status === 204 || status === 304;
  const framing = framingOf(hasNoBody, coding, length);
  const seconds = keptFor === null ? undefined : KEPT_FOR.exec(keptFor)?.[1];
  return {
    status,
    fields: withoutHopByHop(all, connection),
    framing,
    length,
    keepAlive: !isHttp10 && framing.kind !== 'until closed' && !connection.includes('close'),
    keepAliveMs: seconds === undefined ? null : Number(seconds) * 1_000,
    made: null,
  };
}

function framingOf(hasNoBody: boolean, coding: string | null, length: number | null): AnswerFraming {
  if (hasNoBody) return NONE;
  if (coding !== null) return CHUNKED;
  return length === null ? UNTIL_CLOSED : { kind: 'length', length };
}

const NONE = { kind: 'none' } as const;
const CHUNKED = { kind: 'chunked' } as const;
const UNTIL_CLOSED = { kind: 'until closed' } as const;

/** The text without the blanks and tabs around it: `trim` takes more than these (RFC 9110 section 5.5). */
function between(text: string, first: number, end: number): string {
  let from = first;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
