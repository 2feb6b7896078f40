import type { Recorded } from '../../kernel/event-store.js';
import type { SourceItem } from './live-source.js';

/** What clients see of an event: a name on one line, and one JSON object. */
export type ClientEvent = { readonly event: string; readonly data: object };

/** What people read of an event: whole lines, or nothing. `data` is that of a `ClientEvent`, out of its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is known by the name of the event
export type EventText = (event: string, data: any) => string;

/** One stream of a source as clients watch it. Every client that watches it in one view is shown the same. */
export type LiveStream<Item extends SourceItem = Recorded> = {
  /** The name of the stream in its source: `job-job_…`. No two sources have streams of one name. */
  readonly stream: string;
  /** Types of items after which nothing follows: the client gets them, then `end`. */
  readonly finalTypes: ReadonlySet<string>;
  /** Null for an item that is not shown. It must not throw for any that was ever stored. */
  readonly frameOf: (item: Item) => ClientEvent | null;
  /** Names the view, where clients are shown the stream in several; those of one view share what is made of it. */
  readonly view?: string;
  /**
   * Finds what items need of elsewhere before they are shown, for many at once, and answers what to use in the place of
   * `frameOf` for them. It may reject where that cannot be read now; it is tried again then.
   */
  readonly prepare?: (items: readonly Item[]) => Promise<LiveStream<Item>['frameOf']>;
  /** Types of items after which what was prepared for those before is found anew. */
  readonly outdates?: ReadonlySet<string>;
  /** The stream as text for people, where it has that form. One function for all streams of a kind. */
  readonly textOf?: EventText;
  /** Types of items that may end a client’s right to watch: after one, `assertCanWatch` is asked at once. */
  readonly rightsTypes?: ReadonlySet<string>;
  /** Rejects with a `Refusal` when the client may not watch. Asked at the start and again at each heartbeat. */
  readonly assertCanWatch: () => Promise<void>;
  /** Whom the stream counts for besides the address: a hash or an id of the session; null where there is none. */
  readonly session: string | null;
  /** Of a stream that never ends and is too long to be read from its beginning; what is left out holds for all others. */
  readonly log?: LogStream;
};

export type LogStream = {
  /** How many of its newest events a client gets first that resumes nowhere. */
  readonly newest: number;
  /**
   * Streams that are much the same, such as one log through several filters, and how many of them may be watched at
   * once in this process.
   */
  readonly among: { readonly name: string; readonly most: number };
};
