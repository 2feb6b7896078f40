import type { Recorded } from '../kernel/event-store.js';

/** What clients see of an event: a name on one line, and one JSON object. */
export type Shown = { readonly event: string; readonly data: object };

/** One stream of the store as clients watch it. What it shows is the same for everyone who watches it. */
export type Watched = {
  /** As the store knows it: `job-job_…`. */
  readonly stream: string;
  /** Types of stored events after which nothing follows: the client gets them, then `end`. */
  readonly finalTypes: ReadonlySet<string>;
  /** Null for an event that is not shown. It must not throw for any event that was ever stored. */
  readonly frameOf: (event: Recorded) => Shown | null;
  /** Types of stored events that may end somebody’s right to watch: those who do are asked again at once. */
  readonly rightsTypes?: ReadonlySet<string>;
  /** Rejects with a `Refusal` when the caller may not watch. Asked at the start and again at each heartbeat. */
  readonly mayWatch: () => Promise<void>;
  /** Who watches, as a hash or an id: one session holds only so many streams at once. Null for nobody in particular. */
  readonly session: string | null;
};
