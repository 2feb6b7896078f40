import { refuse } from '../kernel/refusal.js';

/**
 * How much one address and one caller may hold at once, and all together. Connections and streams are counted each for
 * themselves, by the same numbers: a WebSocket is one connection and many streams.
 */
export type MostConnections = { readonly address: number; readonly session: number; readonly all: number };

type Holder = { readonly what: 'connections' | 'streams'; readonly who: keyof MostConnections; readonly name: string };

const words = { address: 'address', session: 'caller' } as const;

/** Counts who holds how many connections and streams. What is taken is given back by the answer, once. */
export class Places {
  readonly #held = new Map<string, number>();

  constructor(private readonly most: MostConnections) {}

  /** Refuses with `quota_exceeded` when the address holds all it may, with `unavailable` when the process does. */
  connection(address: string): () => void {
    return this.#take(holders('connections', address, null));
  }

  /** The same for a stream, which counts for whoever watches too. */
  stream(address: string, session: string | null): () => void {
    return this.#take(holders('streams', address, session));
  }

  /** A connection for one stream. */
  answer(address: string, session: string | null): () => void {
    return this.#take([...holders('connections', address, null), ...holders('streams', address, session)]);
  }

  #take(all: readonly Holder[]): () => void {
    for (const { what, who, name } of all) {
      if (this.#of(`${what} ${who} ${name}`) < this.most[who]) continue;
      if (who === 'all') refuse('unavailable', `This server holds as many live ${what} as it may.`);
      refuse('quota_exceeded', `One ${words[who]} may hold ${this.most[who]} live ${what} at once.`);
    }
    const keys = all.map(({ what, who, name }) => `${what} ${who} ${name}`);
    for (const key of keys) this.#held.set(key, this.#of(key) + 1);
    return () => {
      for (const key of keys.splice(0)) this.#giveBack(key);
    };
  }

  #of = (key: string) => this.#held.get(key) ?? 0;

  #giveBack(key: string) {
    const left = this.#of(key) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }
}

const holders = (what: Holder['what'], address: string, session: string | null): readonly Holder[] => [
  { what, who: 'address', name: address },
  ...(session === null ? [] : [{ what, who: 'session' as const, name: session }]),
  { what, who: 'all', name: '' },
];
