import type { AnswerFields } from './answer-fields.js';
import type { Taken } from './answer-receiver.js';

/** What a visitor’s side asks of the exchange that fills it. */
export type SinkEvents = {
  /** More may be written. */
  onDrain(): void;
  /** The visitor is gone, or takes nothing: nothing more is to be written. */
  onGone(): void;
};

/** Where the answer for one visitor goes. */
export type AnswerSink = {
  /** To be set before anything else. */
  events: SinkEvents | null;
  /** Whether anything went out, after which another answer cannot be. */
  readonly hasBegun: boolean;
  /**
   * `length` is that of the content; null where it is not known. The id of the request is told in a field of its own. Sent with what follows it, or by `flush`; until then another one may take its place.
   */
  head(status: number, fields: AnswerFields, length: number | null, requestId: string): void;
  /** `full` where the visitor is slower: wait for `onDrain`. */
  write(bytes: Buffer): Taken;
  flush(): void;
  /** The answer is whole. */
  end(): void;
  /** It never will be: the connection is cut, so that the visitor sees that. */
  abort(): void;
};
