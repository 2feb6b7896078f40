import { EventEmitter, once } from 'node:events';

export type StandInEvent = {
  readonly position: bigint;
  readonly stream: string;
  /** Position in its stream, counted from 0 as on the server. */
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly createdMs: number;
};

export type Proposed = Pick<StandInEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** Expected revision of a stream: -1 if the stream must not exist, or null if any revision is accepted. */
export type Expected = number | null;

export type Written = { readonly revision: number; readonly position: bigint } | { readonly wrong: number };

/** Every 50th write is followed by a system event, as on a real server. */
const EVERY = 50;

/** A log with the server's rules: expected revisions, idempotent event IDs, positions with gaps, and system events. */
export class StandInLog {
  readonly all: StandInEvent[] = [];
  readonly streams = new Map<string, StandInEvent[]>();
  readonly grown = new EventEmitter().setMaxListeners(0);
  #end = 1_000n;
  #writes = 0;

  constructor() {
    this.#keepStatistics();
  }

  append(stream: string, expected: Expected, events: readonly Proposed[]): Written {
    const kept = this.streams.get(stream) ?? [];
    const current = kept.length - 1;
    if (expected !== null && expected !== current) {
      const standing = kept.slice(expected + 1, expected + 1 + events.length);
      const last = standing.at(-1);
      const isSame = expected < current && events.every(({ id }, n) => id === standing[n]?.id);
      return isSame && last ? { revision: last.revision, position: last.position } : { wrong: current };
    }
    for (const event of events) this.#keep(stream, event);
    if (++this.#writes % EVERY === 0) this.#keepStatistics();
    this.grown.emit('grown');
    return { revision: current + events.length, position: this.streams.get(stream)?.at(-1)?.position ?? 0n };
  }

  ours = () => this.all.filter(({ type }) => !type.startsWith('$'));

  grownOnce = () => once(this.grown, 'grown');

  /** Returns the number of a stream's first event that was not truncated. */
  shownFrom(stream: string): number {
    const metadata = this.streams.get(`$$${stream}`)?.at(-1);
    return metadata ? (JSON.parse(Buffer.from(metadata.data).toString()).$tb ?? 0) : 0;
  }

  has = (position: bigint) => this.all[this.indexAt(position)]?.position === position;

  /** Removes the last events, as if an older backup had been restored. */
  cutOff(events: number) {
    for (const { stream } of this.all.splice(-events)) this.streams.get(stream)?.pop();
    const last = this.all.at(-1);
    this.#end = (last?.position ?? 900n) + 100n;
  }

  /** Returns the index in `all` of the first event at or after a position. */
  indexAt(position: bigint): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.position ?? 0n) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #keep(stream: string, proposed: Proposed) {
    const kept = this.streams.get(stream) ?? [];
    const event = { ...proposed, stream, revision: kept.length, position: this.#end, createdMs: Date.now() };
    this.#end += BigInt(100 + proposed.data.length + proposed.metadata.length);
    kept.push(event);
    this.streams.set(stream, kept);
    this.all.push(event);
  }

  #keepStatistics() {
    const data = Buffer.from('{"proc-cpu":1}');
    const event = { id: crypto.randomUUID(), type: '$statsCollected', contentType: 'application/json', data };
    this.#keep('$stats-127.0.0.1:2113', { ...event, metadata: new Uint8Array() });
  }
}
