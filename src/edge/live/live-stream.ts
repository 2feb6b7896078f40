import type { Recorded } from '../../kernel/event-store.js';
import type { SourceItem } from './live-source.js';

/** An event as clients see it: a name on one line, and one JSON object. */
export type ClientEvent = { readonly event: string; readonly data: object };

/**
 * Formats an event as text for people: whole lines, or an empty string. `data` is parsed from the JSON of a
 * `ClientEvent`.
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape is known by the name of the event
export type EventText = (event: string, data: any) => string;

/** One stream of a source as clients watch it. All clients of one view are shown the same. */
export type LiveStream<Item extends SourceItem = Recorded> = {
  /** Name of the stream in its source, such as `job-job_…`. Unique among all sources. */
  readonly stream: string;
  /** Types of items that end the stream: the client gets the item, then `end`. */
  readonly finalTypes: ReadonlySet<string>;
  /** Returns null for a hidden item. Must not throw for any item that was ever stored. */
  readonly frameOf: (item: Item) => ClientEvent | null;
  /** Name of the view, if the stream has several. Clients of one view share the encoded frames. */
  readonly view?: string;
  /**
   * Loads related data for many items at once, and returns the function to use instead of `frameOf` for them. May
   * reject if the data is unavailable. It is then called again.
   */
  readonly prepare?: (items: readonly Item[]) => Promise<LiveStream<Item>['frameOf']>;
  /** Types of items that make prepared data of earlier items obsolete. */
  readonly outdates?: ReadonlySet<string>;
  /**
   * Formats the stream as text for people, with colours, if it has a text form. All streams of a kind share one function.
   */
  readonly textOf?: EventText;
  /** Types of items that may end a client’s right to watch: `assertCanWatch` is called immediately after one. */
  readonly rightsTypes?: ReadonlySet<string>;
  /** Rejects with a `Refusal` if the client may not watch. Called at the start and at each heartbeat. */
  readonly assertCanWatch: () => Promise<void>;
  /** Hash or ID of the session that the stream is counted for in addition to the address; null without a session. */
  readonly session: string | null;
  /** Set for an endless stream that is too long to be read from its beginning. */
  readonly log?: LogStream;
};

export type LogStream = {
  /** Number of newest events that a client without a resume point gets first. */
  readonly newest: number;
  /**
   * Group of similar streams, such as one log with several filters, and how many of them this process may watch at
   * once.
   */
  readonly among: { readonly name: string; readonly most: number };
};
