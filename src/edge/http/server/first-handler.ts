import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { VisitorSink } from '../proxy/visitor-sink.js';

/** A GET or HEAD request without a body, in origin form and with exactly one `Host`. */
export type PlainRequest = {
  readonly method: 'GET' | 'HEAD';
  /** A path with its query. */
  readonly url: string;
  /** Alternating names and values, as Node’s parser produces them. */
  readonly rawHeaders: string[];
  readonly keepAlive: boolean;
  /** Length of the head in bytes. Each of these strings keeps the whole head in memory. */
  readonly bytes: number;
};

/**
 * Reports a response when all of it has been handed to the network or its visitor has left: the bytes of content that
 * were sent, the time of the request (milliseconds since 1970; null for the current time), its duration in
 * milliseconds, and the address of the peer.
 */
export type OnSent = (
  request: PlainRequest,
  status: number,
  bytes: number,
  at: number | null,
  ms: number,
  peer: string,
) => void;

/** A complete response except for the `Date` and `Connection` fields. */
export type CachedResponse = {
  /** The status line and the header fields, each with its line break; see `headText`. */
  readonly head: string;
  /** Bytes, or a string with one byte per character (latin1); null for a response without content. */
  readonly body: Buffer | string | null;
  readonly status: number;
  readonly onSent: OnSent | null;
};

/** Receives the response to a plain request as it arrives. */
export type DirectSink = VisitorSink & {
  readonly request: PlainRequest;
  /** The visitor’s IP address. */
  readonly peer: string;
  /** 0 until the response has a head. */
  readonly status: number;
  /** Bytes that are known to have been sent as content, including framing. */
  readonly sentBytes: number;
  /** Aborts when the visitor has left. */
  readonly signal: AbortSignal;
};

/** Begins to respond to a plain request. */
export type Forward = (sink: DirectSink) => void;

/** Responds to requests for hosted sites, and to others that are too frequent for the framework. */
export type FirstHandler = {
  /** The complete response if it is in memory, otherwise null. Only used while the fast path is on. */
  cachedResponse(request: PlainRequest): CachedResponse | null;
  /**
   * Returns a function that responds to the request if one is known immediately, otherwise null. Only used while the
   * fast path is on.
   */
  forward(request: PlainRequest): Forward | null;
  /**
   * Responds to the request and returns true; or returns false without touching the arguments, and leaves the request
   * to the framework.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
};

/**
 * The status line and fields of a response as text. `fields` has alternating names and values. Throws, like Node, if a
 * name or value is not allowed in a header.
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
