export type SourceItem = {
  /** Position of the item, greater than that of all earlier items. */
  readonly revision: number;
  readonly type: string;
};

export type SourceHead = {
  /** Position of the last item, or a later position up to which there are no items. 0 for an empty stream. */
  readonly revision: number;
  /**
   * Position after which a new ring buffer for this stream should start. Omitted by sources whose positions have no
   * gaps.
   */
  readonly start?: number;
};

/**
 * A source of streams, such as the event store. It may omit items that clients must not see, with one exception: it
 * always returns the last item that it read, because that item shows how far it has read.
 */
export type LiveSource<Item extends SourceItem> = {
  /** Returns the head of a stream. `after` must be greater than any position, so that no items are read. */
  read(stream: string, after: number): Promise<{ readonly head: SourceHead }>;
  /**
   * Returns about `limit` items after a position, oldest first. The position must be before the head, so at least one
   * item follows it. An empty page therefore means that the stream no longer exists.
   */
  page(stream: string, after: number, limit: number): Promise<readonly Item[]>;
  /**
   * Yields each item after a position exactly once and in order, in batches that are never empty. Ends without an error
   * when `signal` aborts. Survives database outages.
   */
  watch(stream: string, after: number, signal: AbortSignal): AsyncIterable<readonly Item[]>;
};
