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
  /** Whether a head was given, after which another answer cannot be. */
  readonly hasBegun: boolean;
  /**
   * Names and values by turns, valid and without framing. `length` is that of the content; null where it is not known.
   * Sent with what follows it, or by `flush`.
   */
  head(status: number, fields: readonly string[], length: number | null): void;
  /** False where the visitor is slower: wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  flush(): void;
  /** The answer is whole. */
  end(): void;
  /** It never will be: the connection is cut, so that the visitor sees that. */
  abort(): void;
};
