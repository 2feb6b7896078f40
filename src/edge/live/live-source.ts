/** What a source hands on: it has a place in its stream, and is of some type. */
export type SourceItem = {
  /** Its place: greater than that of whatever came before it. */
  readonly revision: number;
  readonly type: string;
};

export type SourceHead = {
  /** The place of the last item, or a later one up to which there is nothing; 0 where there is none. */
  readonly revision: number;
  /**
   * The place behind which there are about as many items as a ring should begin with. It is left out by a source that
   * counts places without gaps.
   */
  readonly start?: number;
};

/**
 * Where items of streams come from: the event store is one. A stream is known by its name there. What clients are not to
 * be shown may be left out, as long as the last item of what was looked at is there: it says how far that was.
 */
export type LiveSource<Item extends SourceItem> = {
  /** Where a stream stands; `after` is beyond every place, so that no items are asked for. */
  read(stream: string, after: number): Promise<{ readonly head: SourceHead }>;
  /**
   * At most about `limit` items after a place, oldest first. Nothing at all means that the stream is gone: behind a place
   * that its end has passed there is at least one.
   */
  page(stream: string, after: number, limit: number): Promise<readonly Item[]>;
  /**
   * What comes after a place, until `signal` aborts (then it ends, without error). Batches are never empty, in order,
   * each item once. It outlives a database that goes away.
   */
  watch(stream: string, after: number, signal: AbortSignal): AsyncIterable<readonly Item[]>;
};
