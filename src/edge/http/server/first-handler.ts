import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { AnswerSink } from '../proxy/answer-sink.js';

/** A GET or HEAD request without a body, in origin form and with exactly one `Host`. */
export type PlainRequest = {
  readonly method: 'GET' | 'HEAD';
  /** A path with its query. */
  readonly url: string;
  /** Names and values by turns, as Node’s parser makes them. */
  readonly rawHeaders: string[];
  readonly keepAlive: boolean;
  /** Length of the head. Each of the texts keeps all of it in memory. */
  readonly bytes: number;
};

/**
 * Reports a response when all of it is on its way, or its visitor has left: how many bytes of content were sent, when
 * the request came (milliseconds since 1970; null for just now), how long it took (ms), and from which address.
 */
export type OnSent = (
  request: PlainRequest,
  status: number,
  bytes: number,
  at: number | null,
  ms: number,
  peer: string,
) => void;

/** A complete response, to which only the `Date` and `Connection` fields are added. */
export type CachedResponse = {
  /** The status line and the header fields, each with its line break; see `headText`. */
  readonly head: string;
  /** Bytes, or a string with one byte in each character (latin1); null for a response without content. */
  readonly body: Buffer | string | null;
  readonly status: number;
  readonly onSent: OnSent | null;
};

/** Where the response to a plain request goes as it arrives. */
export type DirectSink = AnswerSink & {
  readonly request: PlainRequest;
  /** The visitor’s IP address. */
  readonly peer: string;
  /** 0 until the response has a head. */
  readonly status: number;
  /** Bytes of content that are known to have gone out, framing included. */
  readonly sentBytes: number;
  /** Aborts when the visitor has left. */
  readonly signal: AbortSignal;
};

/** Begins to respond to a plain request, from whatever makes the response. */
export type Forward = (sink: DirectSink) => void;

/** Responds to requests for hosted sites, and to those that are too frequent for the framework. */
export type FirstHandler = {
  /** The complete response if it is in memory, else null. Only used while the fast path is on. */
  cachedResponse(request: PlainRequest): CachedResponse | null;
  /** What responds to the request, where that is known at once; else null. Only used while the fast path is on. */
  forward(request: PlainRequest): Forward | null;
  /**
   * Responds to the request and returns true; or returns false, having touched neither argument, and leaves the request
   * to the framework.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
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
