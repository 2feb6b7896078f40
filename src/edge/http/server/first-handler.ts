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
  /** The path, including the query. */
  readonly url: string;
  /** Alternating header names and values, as Node’s parser produces them. */
  readonly rawHeaders: string[];
  readonly keepAlive: boolean;
  /** Length of the request head in bytes. The whole head stays in memory as long as any string of this object does. */
  readonly bytes: number;
};

/**
 * Reports a response that was sent or whose visitor has disconnected. Arguments: the number of content bytes sent, the
 * time of the request (milliseconds since 1970; null for now), its duration in milliseconds, and the peer's address.
 */
export type OnSent = (
  request: PlainRequest,
  status: number,
  bytes: number,
  at: number | null,
  ms: number,
  peer: string,
) => void;

/** A response that is complete except for the `Date` and `Connection` fields. */
export type CachedResponse = {
  /** The status line and the header fields, with a line break after each; see `headText`. */
  readonly head: string;
  /** A buffer, or a string with one byte per character (latin1). Null if the response has no content. */
  readonly body: Buffer | string | null;
  readonly status: number;
  readonly onSent: OnSent | null;
};

export type DirectSink = VisitorSink & {
  readonly request: PlainRequest;
  /** The visitor’s IP address. */
  readonly peer: string;
  /** The status of the response, or 0 while it has no head. */
  readonly status: number;
  /** Number of content bytes, including framing, that are known to have been sent. */
  readonly sentBytes: number;
  readonly signal: AbortSignal;
};

export type Forward = (sink: DirectSink) => void;

/** Responds to requests for hosted sites, and to other requests that are so frequent that they bypass the framework. */
export type FirstHandler = {
  /** Returns the complete response if it is in memory, otherwise null. Only used while the fast path is on. */
  cachedResponse(request: PlainRequest): CachedResponse | null;
  /**
   * Returns a function that responds to the request, or null if it cannot respond now. Only used with the fast path.
   */
  forward(request: PlainRequest): Forward | null;
  /** Responds and returns true. To leave the request to the framework, returns false without touching the arguments. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
};

/** Returns the status line and `fields` (alternating names and values). Like Node, throws if a field is not allowed. */
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
