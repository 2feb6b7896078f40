/** An item of a source, with a type and a position in its stream. */
export type SourceItem = {
  /** The position, which is greater than that of every earlier item. */
  readonly revision: number;
  readonly type: string;
};

export type SourceHead = {
  /** Position of the last item, or a later position up to which there are no items; 0 for an empty stream. */
  readonly revision: number;
  /**
   * Position after which there are about as many items as a ring begins with. Sources whose positions have no gaps
   * leave it out.
   */
  readonly start?: number;
};

/**
 * A source of the items of streams, such as the event store, in which each stream has a name. It may leave out items
 * that clients are not shown, except the last item that it has read, which marks how far it got.
 */
export type LiveSource<Item extends SourceItem> = {
  /** Reads the head of a stream. `after` is beyond every position, so that no items are returned. */
  read(stream: string, after: number): Promise<{ readonly head: SourceHead }>;
  /**
   * Returns at most about `limit` items after a position, oldest first. An empty page means that the stream no longer
   * exists, because there is always at least one item after a position before the head.
   */
  page(stream: string, after: number, limit: number): Promise<readonly Item[]>;
  /**
   * Yields the items after a position in order, each once, in batches that are never empty. Ends without an error when
   * `signal` aborts. Survives a loss of the database.
   */
  watch(stream: string, after: number, signal: AbortSignal): AsyncIterable<readonly Item[]>;
};
