import type { ResponseFields } from './response-fields.js';
import type { Taken } from './response-receiver.js';

export type SinkEvents = {
  onDrain(): void;
  /** Called when the visitor has disconnected or has stopped reading. Nothing more may be written. */
  onGone(): void;
};

export type VisitorSink = {
  /** The caller must set this property before it calls any method. */
  events: SinkEvents | null;
  /** Whether anything has been sent. After that, no other response is possible. */
  readonly hasBegun: boolean;
  /**
   * Sets the head, which is sent with the next write or by `flush`. Until then, another call may replace it. `length`
   * is the size of the content, or null if unknown. The request ID is sent in a separate field.
   */
  head(status: number, fields: ResponseFields, length: number | null, requestId: string): void;
  /** Returns `full` if the visitor cannot keep up. The caller must then wait for `onDrain`. */
  write(bytes: Buffer): Taken;
  flush(): void;
  end(): void;
  /** Closes the connection, so that the visitor notices that the response is incomplete. */
  abort(): void;
};
