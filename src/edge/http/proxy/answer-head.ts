import type { AnswerFields } from './answer-fields.js';
import { withoutHopByHop } from './hop-by-hop.js';

/** Longest head of a server’s response, in bytes: twice that of a request. */
export const MAX_HEAD_BYTES = 32 * 1_024;

/** A response may have so many interim responses before it (RFC 9110 section 15.2). They are not passed on. */
export const MAX_INTERIM = 16;

/** How the end of a body is found (RFC 9112 section 6.3). */
export type AnswerFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until closed' };

/** The head of a server’s response. */
export type AnswerHead = {
  readonly status: number;
  /** Names and values by turns, without those about this one connection and without the length of the body. */
  readonly fields: readonly string[];
  readonly framing: AnswerFraming;
  /** The stated length, also where there is no body; null where none is stated. */
  readonly length: number | null;
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean;
  /** How long the server keeps it then, in milliseconds; null where it does not say. */
  readonly keepAliveMs: number | null;
  /** Whether it begins another protocol: a 101 that names one (RFC 9110 section 15.2.2). */
  readonly isUpgrade: boolean;
  /** What `by` has made of it for visitors, to be used again: the same head may come again. */
  made: { readonly by: object; readonly fields: AnswerFields; readonly isHtml: boolean } | null;
};

/** The server does not respond in HTTP/1.1 as RFC 9112 has it. `message` says what is wrong, for the site’s owner. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

const LENGTH = /^\d{1,15}$/;
const KEPT_FOR = /(?:^|,)\s?timeout=(\d{1,6})(?:$|,)/i;

/** Judges a parsed head. `rawHeaders`: names and values by turns. Throws `MalformedAnswer`. */
export function answerHeadOf(
  status: number,
  isHttp10: boolean,
  rawHeaders: readonly string[],
  isAnswerToHead: boolean,
): AnswerHead {
  const all: string[] = [];
  let connection = '';
  let upgrade = false;
  let coding: string | null = null;
  let length: number | null = null;
  let keptFor: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    switch (name.length) {
      case 7:
        if (name.toLowerCase() === 'upgrade') upgrade = true;
        break;
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
  if (coding !== null && isHttp10)
    throw new MalformedAnswer('The server’s response is HTTP/1.0 and chunked, which HTTP/1.0 does not support.');
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
    isUpgrade: status === 101 && upgrade && connection.includes('upgrade'),
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
