import { KeyedMutex } from './concurrency/keyed-mutex.js';
import type { Decide, DomainEvent, Fold } from './decider.js';
import {
  type Actor,
  type EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type Recorded,
  StoreUnavailableError,
} from './event-store.js';
import { BackgroundTask } from './faults/background-task.js';
import { FoldedCache } from './folded-cache.js';
import type { Ids } from './ids.js';
import { Refusal, refuse } from './refusal.js';
import type { Folded, Snapshots } from './snapshots.js';

export type Outcome<State, Event extends DomainEvent = DomainEvent> = Folded<State> & {
  /** The recorded events, or none if nothing changed. */
  readonly events: readonly NewEvent<Event>[];
  /** Position of the last recorded event, or null if nothing changed. */
  readonly position: bigint | null;
};

const savingSnapshots = new BackgroundTask('save_snapshots');

const ATTEMPTS = 10;
const SNAPSHOT_EVERY = 256;
/** Maximum time that a command waits for earlier commands on its stream, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Runs commands: folds the stream, decides, and appends. Every event is written through this class.
 *
 * Within this process, commands on one stream run one at a time. A command that has waited for ten seconds fails with
 * `StoreUnavailableError`. If another process appends first, `decide` runs again on the newer state, so it must be
 * pure. After ten attempts, the command is refused with `conflict`.
 *
 * Commands first use cached state without checking it, because the append fails if it is stale. A refusal or an empty
 * decision appends nothing, so it is always based on state that was just read.
 */
export class Transactions {
  readonly #mutex = new KeyedMutex();
  readonly #cache: FoldedCache;

  constructor(
    private readonly store: EventStore,
    private readonly snapshots: Snapshots,
    private readonly ids: Ids,
    /**
     * Called after each append, when the next command on the stream can already run. The response waits for the
     * returned promise, which must not reject.
     */
    private readonly committed: (position: bigint, stream: string) => Promise<void> = async () => undefined,
    capacity = 1_000_000,
  ) {
    this.#cache = new FoldedCache(capacity);
  }

  /** Returns the current state, for checks before the work of a command begins. */
  async state<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>): Promise<Folded<State>> {
    return this.#catchUp(stream, fold, await this.#recall(stream, fold));
  }

  async run<State, Event extends DomainEvent, Command>(
    stream: string,
    fold: Fold<State, Event>,
    decide: Decide<State, Command, Event>,
    command: Command,
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<Outcome<State, Event>> {
    return this.#run(stream, fold, decide, command, by, () => this.#recall(stream, fold));
  }

  /**
   * Like `run`, for a stream that probably has no events yet. Skips reading the stream, because the append fails if it
   * has events.
   */
  async begin<State, Event extends DomainEvent, Command>(
    stream: string,
    fold: Fold<State, Event>,
    decide: Decide<State, Command, Event>,
    command: Command,
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<Outcome<State, Event>> {
    const empty = { state: fold.initial, head: emptyStream };
    return this.#run(stream, fold, decide, command, by, async () => this.#cache.get(stream, fold) ?? empty);
  }

  async #run<State, Event extends DomainEvent, Command>(
    stream: string,
    fold: Fold<State, Event>,
    decide: Decide<State, Command, Event>,
    command: Command,
    by: { readonly at: string; readonly actor: Actor },
    start: () => Promise<Folded<State>>,
  ): Promise<Outcome<State, Event>> {
    const enough = performance.now() + PATIENCE_MS;
    const outcome = await this.#mutex.run(stream, async () => {
      if (performance.now() > enough)
        throw new StoreUnavailableError(
          'The event store is too slow: earlier commands on this stream are still waiting.',
        );
      let folded = await start();

      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        let decided = quietly(() => decide(folded.state, command, folded.head.revision));
        if (!Array.isArray(decided) || decided.length === 0) {
          folded = await this.#catchUp(stream, fold, folded);
          decided = decide(folded.state, command, folded.head.revision);
        }
        const events = (decided as readonly Event[]).map((event) => ({ ...event, ...by, id: this.ids.make('evt') }));
        if (events.length === 0) return { ...folded, events, position: null };

        const appended = await this.store.append(stream, folded.head, events);
        if (appended !== 'conflict') {
          const next = folded.head.revision + 1;
          const state = events.reduce<State>((so, event, n) => fold.evolve(so, event, next + n), folded.state);
          const now = { state, head: appended.head };
          this.#keep(stream, fold, now, folded.head);
          return { ...now, events, position: appended.position };
        }
        if (attempt > 1) await jitter(attempt);
        folded = await this.#catchUp(stream, fold, folded);
      }
      return refuse('conflict', 'Other requests are changing the same data at the same time.');
    });
    if (outcome.position !== null) await this.committed(outcome.position, stream);
    return outcome;
  }

  async #recall<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>): Promise<Folded<State>> {
    const kept = this.#cache.get(stream, fold) ?? (await this.snapshots.load(stream, fold));
    return kept ?? this.#catchUp(stream, fold, { state: fold.initial, head: emptyStream });
  }

  async #catchUp<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>, from: Folded<State>) {
    const { events, head } = await this.store.read(stream, from.head.revision);
    // The cast is safe: a stream contains only events of its own subject, and `evolve` ignores event types that this
    // version does not know.
    const state = (events as Recorded<Event>[]).reduce<State>(
      (so, event) => fold.evolve(so, event, event.revision),
      from.state,
    );
    const folded = { state, head };
    this.#keep(stream, fold, folded, from.head);
    return folded;
  }

  #keep<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>, now: Folded<State>, before: Head) {
    this.#cache.set(stream, fold, now);
    const due = Math.floor(now.head.revision / SNAPSHOT_EVERY) > Math.floor(before.revision / SNAPSHOT_EVERY);
    if (due) void savingSnapshots.run(() => this.snapshots.save(stream, fold, now));
  }
}

/**
 * Returns a refusal instead of throwing it. The state may have been cached, so the caller repeats a refused decision on
 * current state.
 */
function quietly<T>(decide: () => T): T | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const jitter = (attempt: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** attempt));
