import { hash } from 'node:crypto';
import { catalogue, isChained } from '../../../src/events/catalogue.js';
import type { DomainEvent, Fold } from '../../../src/kernel/decider.js';
import type { Head, NewEvent } from '../../../src/kernel/event-store.js';
import { type Folded, Snapshots } from '../../../src/kernel/snapshots.js';
import { MemoryEngine } from '../../../src/storage/store/memory/memory.engine.js';

/** An event store in memory that is set up like the product's, with hooks for tests. */
export class MemoryStore extends MemoryEngine {
  /** Called before each append, so that a test can append another event first. */
  beforeAppend: (stream: string) => Promise<void> = async () => undefined;
  /** Called after each successful append. If it throws, the append's result is lost. */
  afterAppend: () => void = () => undefined;
  /** Reads of streams. `after` is the revision after which a read began. */
  readonly reads: { readonly stream: string; readonly after: number }[] = [];

  /** `batchSize` limits the number of events that followers get at a time. */
  constructor(batchSize = Number.POSITIVE_INFINITY) {
    super(catalogue, isChained, (text) => hash('sha256', text));
    const follow = this.follow;
    this.follow = (position, signal) => inBatches(follow(position, signal), batchSize);
  }

  override async read(stream: string, revision = 0) {
    this.reads.push({ stream, after: revision });
    return super.read(stream, revision);
  }

  override async append(stream: string, head: Head, events: readonly NewEvent[]) {
    await this.beforeAppend(stream);
    const outcome = await super.append(stream, head, events);
    if (outcome !== 'conflict') this.afterAppend();
    return outcome;
  }

  /** Appends as another process would, without calling the hooks. */
  async write(stream: string, ...events: readonly DomainEvent[]) {
    const { head } = await super.read(stream);
    const by = { at: '2026-11-20T12:00:00.000Z', actor: { kind: 'system' } as const };
    const numbered = events.map((event, n) => ({ ...event, ...by, id: `evt_${stream}_${head.revision + n + 1}` }));
    return super.append(stream, head, numbered);
  }
}

async function* inBatches(batches: ReturnType<MemoryEngine['follow']>, size: number) {
  for await (const batch of batches) {
    for (let first = 0; first < batch.length; first += size) yield batch.slice(first, first + size);
  }
}

/** Snapshots that survive the simulated process that saved them. */
export class MemorySnapshots extends Snapshots {
  readonly #kept = new Map<string, string>();

  override async load<State, Event extends DomainEvent>(stream: string, fold: Fold<State, Event>) {
    const kept = this.#kept.get(keyOf(stream, fold));
    return kept === undefined ? null : (JSON.parse(kept) as Folded<State>);
  }

  override async save<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
    folded: Folded<State>,
  ) {
    const before = await this.load(stream, fold);
    if (before && before.head.revision > folded.head.revision) return;
    this.#kept.set(keyOf(stream, fold), JSON.stringify(folded));
  }
}

const keyOf = (stream: string, { name, version }: { readonly name: string; readonly version: number }) =>
  `${name} ${version} ${stream}`;
