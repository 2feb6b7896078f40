import { withoutHopByHop } from './hop-by-hop.js';
import type { ResponseFields } from './response-fields.js';

/** Maximum size of the head of a server's response: twice the maximum for a request. */
export const MAX_HEAD_BYTES = 32 * 1_024;

/** Maximum number of interim responses (RFC 9110 section 15.2), which are not passed on. */
export const MAX_INTERIM = 16;

/** How the end of a body is determined (RFC 9112 section 6.3). */
export type ResponseFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until closed' };

export type ResponseHead = {
  readonly status: number;
  /** Alternating names and values, without hop-by-hop fields and Content-Length. */
  readonly fields: readonly string[];
  readonly framing: ResponseFraming;
  /** The value of Content-Length. A response without a body, such as a response to HEAD, can have this field too. */
  readonly length: number | null;
  readonly keepAlive: boolean;
  /** How long the server keeps an idle connection open after the response; null if the server does not say. */
  readonly keepAliveMs: number | null;
  /** Whether this is a 101 response that names the new protocol (RFC 9110 section 15.2.2). */
  readonly isUpgrade: boolean;
  /**
   * Cached header fields that visitors get. The object `by` derived them from this head. The server may send the same
   * head again.
   */
  made: { readonly by: object; readonly fields: ResponseFields; readonly isHtml: boolean } | null;
};

/** Thrown if a server’s response violates HTTP/1.1 (RFC 9112). The site’s owner sees `message`. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
}

const LENGTH = /^\d{1,15}$/;
const KEPT_FOR = /(?:^|,)\s?timeout=(\d{1,6})(?:$|,)/i;

/** Interprets a parsed head. `rawHeaders` contains alternating names and values. Throws `MalformedResponseError`. */
export function evaluateResponseHead(
  status: number,
  isHttp10: boolean,
  rawHeaders: readonly string[],
  isAnswerToHead: boolean,
): ResponseHead {
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
          throw new MalformedResponseError('The server’s response has an invalid or repeated Content-Length.');
        length = Number(value);
        continue;
      case 17:
        if (name.toLowerCase() !== 'transfer-encoding') break;
        if (coding !== null || value.toLowerCase() !== 'chunked')
          throw new MalformedResponseError('The server’s response has a transfer coding other than “chunked”.');
        coding = value;
        continue;
    }
    all.push(name, value);
  }
  if (coding !== null && length !== null)
    throw new MalformedResponseError('The server’s response has both Content-Length and Transfer-Encoding.');
  if (coding !== null && isHttp10)
    throw new MalformedResponseError('The server’s response is HTTP/1.0 and chunked, which HTTP/1.0 does not support.');
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

function framingOf(hasNoBody: boolean, coding: string | null, length: number | null): ResponseFraming {
  if (hasNoBody) return NONE;
  if (coding !== null) return CHUNKED;
  return length === null ? UNTIL_CLOSED : { kind: 'length', length };
}

const NONE = { kind: 'none' } as const;
const CHUNKED = { kind: 'chunked' } as const;
const UNTIL_CLOSED = { kind: 'until closed' } as const;
