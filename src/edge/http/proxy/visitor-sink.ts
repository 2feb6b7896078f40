import type { ResponseFields } from './response-fields.js';
import type { Taken } from './response-receiver.js';

/** Events that the visitor’s side reports to the exchange. */
export type SinkEvents = {
  /** More can be written. */
  onDrain(): void;
  /** The visitor has left or accepts nothing. Nothing more may be written. */
  onGone(): void;
};

/** The destination of the response for one visitor. */
export type VisitorSink = {
  /** Must be set before anything else. */
  events: SinkEvents | null;
  /** Whether anything was sent. After that, no other response is possible. */
  readonly hasBegun: boolean;
  /**
   * Sets the head, which is sent with the next call or by `flush`. Until then, another head may replace it. `length` is
   * the size of the content; null if unknown. The request ID is sent in a separate field.
   */
  head(status: number, fields: ResponseFields, length: number | null, requestId: string): void;
  /** Returns `full` if the visitor reads more slowly: wait for `onDrain`. */
  write(bytes: Buffer): Taken;
  flush(): void;
  /** The response is complete. */
  end(): void;
  /** The response will never be complete. Closes the connection so that the visitor notices. */
  abort(): void;
};
