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
 * A source of streams, such as the event store. It may omit items that clients must not see, but always returns the
 * last item that it read, because that item marks its position.
 */
export type LiveSource<Item extends SourceItem> = {
  /** Reads the head of a stream. `after` must be beyond every position, so that no items are returned. */
  read(stream: string, after: number): Promise<{ readonly head: SourceHead }>;
  /**
   * Returns about `limit` items after a position, oldest first. An empty page means that the stream no longer exists,
   * because any position before the head is followed by at least one item.
   */
  page(stream: string, after: number, limit: number): Promise<readonly Item[]>;
  /**
   * Yields the items after a position once and in order, in batches that are never empty. Ends without an error when
   * `signal` aborts. Survives database outages.
   */
  watch(stream: string, after: number, signal: AbortSignal): AsyncIterable<readonly Item[]>;
};
