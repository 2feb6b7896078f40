import type { Recorded } from '../kernel/event-store.js';

/** What clients see of an event: a name on one line, and one JSON object. */
export type ClientEvent = { readonly event: string; readonly data: object };

/** What people read of an event: whole lines, or nothing. `data` is that of a `ClientEvent`, out of its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is known by the name of the event
export type EventText = (event: string, data: any) => string;

/** One stream of the store as clients watch it. Every client that watches it is shown the same. */
export type LiveStream = {
  /** The name of the stream in the store: `job-job_…`. */
  readonly stream: string;
  /** Types of stored events after which nothing follows: the client gets them, then `end`. */
  readonly finalTypes: ReadonlySet<string>;
  /** Null for an event that is not shown. It must not throw for any event that was ever stored. */
  readonly frameOf: (event: Recorded) => ClientEvent | null;
  /** The stream as text for people, where it has that form. One function for all streams of a kind. */
  readonly textOf?: EventText;
  /** Types of stored events that may end a client’s right to watch: after one, `mayWatch` is asked at once. */
  readonly rightsTypes?: ReadonlySet<string>;
  /** Rejects with a `Refusal` when the client may not watch. Asked at the start and again at each heartbeat. */
  readonly mayWatch: () => Promise<void>;
  /** Whom the stream counts for besides the address: a hash or an id of the session; null where there is none. */
  readonly session: string | null;
};
