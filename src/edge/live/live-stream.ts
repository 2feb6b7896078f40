import type { Recorded } from '../../kernel/event-store.js';
import type { SourceItem } from './live-source.js';

/** An event as clients see it. `event` contains no line breaks, and `data` is a JSON object. */
export type ClientEvent = { readonly event: string; readonly data: object };

/** Formats an event as text for people: whole lines, or an empty string. `data` is parsed JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is known by the name of the event
export type EventText = (event: string, data: any) => string;

/** A stream, as clients watch it. All clients of the same view see the same events. */
export type LiveStream<Item extends SourceItem = Recorded> = {
  /** The stream's name in its source, such as `job-job_…`. Unique among all sources. */
  readonly stream: string;
  /** Item types that end the stream: the client gets the item, followed by `end`. */
  readonly finalTypes: ReadonlySet<string>;
  /**
   * Returns the event that clients see, or null for a hidden item. Must not throw for any item that was ever stored.
   */
  readonly frameOf: (item: Item) => ClientEvent | null;
  /** Name of the view, if the stream has several. Clients of the same view share the encoded frames. */
  readonly view?: string;
  /**
   * Loads related data for many items at once. Returns a function that replaces `frameOf` for these items. May reject
   * if the data is unavailable, and is called again after that.
   */
  readonly prepare?: (items: readonly Item[]) => Promise<LiveStream<Item>['frameOf']>;
  /** Types of items after which the data that `prepare` loaded for earlier items is outdated. */
  readonly outdates?: ReadonlySet<string>;
  /** Formats events as coloured plain text, if supported. All streams of the same kind share one function. */
  readonly textOf?: EventText;
  /**
   * Types of items that can end a client’s right to watch. After each such item, `assertCanWatch` is called
   * immediately.
   */
  readonly rightsTypes?: ReadonlySet<string>;
  /** The stream of the same source that contains the items of these types, if it is a different stream. */
  readonly rightsStream?: string;
  /** Rejects with a `Refusal` if the client may not watch. Called at the start and at each heartbeat. */
  readonly assertCanWatch: () => Promise<void>;
  /** Hash or ID of the session for which the stream is counted, in addition to the address. */
  readonly session: string | null;
  /** Set for a stream that never ends and is too long to be read from its beginning. */
  readonly log?: LogStream;
};

export type LogStream = {
  /** A client without a resume point first gets this many of the newest events. */
  readonly newest: number;
  /**
   * The group of similar streams to which this stream belongs, such as one log with different filters. This process
   * watches at most `most` streams of the group at the same time.
   */
  readonly among: { readonly name: string; readonly most: number };
};
