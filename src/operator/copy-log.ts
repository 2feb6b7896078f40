import type { RawEvent } from '../kernel/event-store.js';
import { chainHash, type Digest } from '../kernel/hashing/chain.js';
import { plural } from '../kernel/output/quantities.js';
import type { PositionedEvent, WholeLog } from '../storage/store/whole-log.js';

/** Reads a log one event at a time, up to and including a position. */
class Events {
  readonly #lists: AsyncIterator<readonly PositionedEvent[]>;
  #list: readonly PositionedEvent[] = [];
  #next = 0;

  constructor(
    lists: AsyncIterable<readonly PositionedEvent[]>,
    private readonly last?: bigint,
  ) {
    this.#lists = lists[Symbol.asyncIterator]();
  }

  async next(): Promise<PositionedEvent | undefined> {
    while (this.#next === this.#list.length) {
      const { done, value } = await this.#lists.next();
      if (done) return undefined;
      this.#list = value;
      this.#next = 0;
    }
    const event = this.#list[this.#next];
    if (!event || (this.last !== undefined && event.position > this.last)) return undefined;
    this.#next++;
    return event;
  }
}

const MAX_EVENTS = 500;
const MAX_CHARACTERS = 1024 * 1024;

/** Thrown if the destination is not a prefix of the source, or if the finished copy differs. */
export class DestinationMismatchError extends Error {
  override readonly name = 'DestinationMismatchError';
}

export type Copying = {
  readonly phase: 'comparing' | 'copying' | 'checking';
  readonly events: number;
  readonly position: bigint;
  readonly last: bigint;
};

export type Copied = {
  /** Number of events in the destination. */
  readonly events: number;
  readonly alreadyThere: number;
  readonly streams: number;
  readonly chains: number;
  /** Streams whose hash chain is already broken in the source, with the revision of the first invalid event. */
  readonly broken: ReadonlyMap<string, number>;
};

const FIELDS = ['id', 'stream', 'revision', 'type', 'schema', 'at', 'actor', 'data', 'hash', 'previousHash'] as const;

const isSame = (one: RawEvent, other: RawEvent) => FIELDS.every((field) => one[field] === other[field]);

/**
 * Copies a log up to its current end. Events that are already in the destination, for example after an interruption,
 * must be a prefix of the source. Afterwards, both logs are read again and compared, and every hash chain is verified.
 * Throws `DestinationMismatchError`, and errors of either log.
 */
export async function copyLog(
  from: WholeLog,
  to: WholeLog,
  { digest, isChained }: { readonly digest: Digest; readonly isChained: (stream: string) => boolean },
  tell: (copying: Copying) => void,
  signal: AbortSignal,
): Promise<Copied> {
  const last = await from.last();
  const source = new Events(from.after(0n, signal), last);
  let events = 0;
  for (const there = new Events(to.after(0n, signal)); ; events++) {
    const found = await there.next();
    if (!found) break;
    const due = await source.next();
    if (!due || !isSame(found, due)) throw new DestinationMismatchError(otherEvent(to, found, events + 1));
    if (events % MAX_EVENTS === 0) tell({ phase: 'comparing', events, position: due.position, last });
  }
  signal.throwIfAborted();
  const alreadyThere = events;

  for (let batch = await gather(source); batch.length > 0; batch = await gather(source)) {
    signal.throwIfAborted();
    await to.append(batch);
    events += batch.length;
    tell({ phase: 'copying', events, position: batch.at(-1)?.position ?? 0n, last });
  }
  signal.throwIfAborted();
  return { alreadyThere, ...(await compared(from, to, last, { digest, isChained }, tell, signal)) };
}

async function gather(source: Events): Promise<PositionedEvent[]> {
  const batch: PositionedEvent[] = [];
  let characters = 0;
  while (batch.length < MAX_EVENTS && characters < MAX_CHARACTERS) {
    const event = await source.next();
    if (!event) break;
    batch.push(event);
    characters += event.data.length;
  }
  return batch;
}

async function compared(
  from: WholeLog,
  to: WholeLog,
  last: bigint,
  { digest, isChained }: { readonly digest: Digest; readonly isChained: (stream: string) => boolean },
  tell: (copying: Copying) => void,
  signal: AbortSignal,
): Promise<Omit<Copied, 'alreadyThere'>> {
  const source = new Events(from.after(0n, signal), last);
  const there = new Events(to.after(0n, signal));
  const heads = new Map<string, { revision: number; hash: string | null }>();
  const broken = new Map<string, number>();
  let events = 0;
  for (; ; events++) {
    const [due, found] = [await source.next(), await there.next()];
    signal.throwIfAborted();
    if (!due && !found) break;
    if (!due || !found || !isSame(due, found)) {
      throw new DestinationMismatchError(
        found
          ? otherEvent(to, found, events + 1)
          : `${to.description} ends after ${plural(events, 'event')}, but ${from.description} has more.`,
      );
    }
    const isFirst = !heads.has(found.stream) && !isChained(found.stream); // The beginning of the stream may have been dropped.
    const before = heads.get(found.stream) ?? { revision: isFirst ? found.revision - 1 : 0, hash: null };
    const hash = isChained(found.stream) ? chainHash(digest, before.hash, found) : null;
    const follows = found.revision === before.revision + 1 && found.hash === hash;
    if (!(follows && found.previousHash === (hash === null ? null : before.hash)) && !broken.has(found.stream))
      broken.set(found.stream, found.revision);
    heads.set(found.stream, { revision: found.revision, hash: found.hash });
    if (events % MAX_EVENTS === 0) tell({ phase: 'checking', events, position: due.position, last });
  }
  tell({ phase: 'checking', events, position: last, last });
  return { events, streams: heads.size, chains: [...heads.keys()].filter(isChained).length, broken };
}

const otherEvent = (to: WholeLog, { stream, revision, type }: RawEvent, number: number) =>
  `${to.description} contains a different log: its event number ${number} is ${type} (event ${revision} of ${stream}), and the source has another event there. Its existing events were not changed. Choose an empty destination.`;
