import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';

/**
 * How many connections, and how many streams, may be open at once: for one address, for one session, and in this process.
 * Connections and streams are counted apart, with the same limits: a WebSocket is one connection with many streams.
 */
export type ConnectionLimits = { readonly address: number; readonly session: number; readonly all: number };

type QuotaHolder = {
  readonly what: 'connections' | 'streams';
  readonly who: keyof ConnectionLimits;
  readonly name: string;
};

const words = { address: 'An IP address', session: 'A caller' } as const;

/**
 * Counts the live connections and streams of each address and session. Each method takes a place, and returns the function
 * that gives it back; calling that twice gives it back once. A method that refuses takes nothing. Refuses with
 * `quota_exceeded` when the address or the session has all it may, with `unavailable` when the process does.
 */
export class ConnectionQuota {
  readonly #held = new Map<string, number>();

  constructor(private readonly limits: ConnectionLimits) {}

  /** A connection that may watch many streams. */
  connection(address: string): () => void {
    return this.#take(holders('connections', address, null));
  }

  /** A stream on a connection that is counted already. It counts for the session too, where there is one. */
  stream(address: string, session: string | null): () => void {
    return this.#take(holders('streams', address, session));
  }

  /** A connection together with its only stream. */
  connectionWithStream(address: string, session: string | null): () => void {
    return this.#take([...holders('connections', address, null), ...holders('streams', address, session)]);
  }

  #take(all: readonly QuotaHolder[]): () => void {
    for (const { what, who, name } of all) {
      if (this.#of(`${what} ${who} ${name}`) < this.limits[who]) continue;
      if (who === 'all') refuse('unavailable', `This server has reached its limit of live ${what}. Try again later.`);
      refuse(
        'quota_exceeded',
        `${words[who]} can have at most ${plural(this.limits[who], `live ${what.slice(0, -1)}`)} at the same time.`,
      );
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

const holders = (what: QuotaHolder['what'], address: string, session: string | null): readonly QuotaHolder[] => [
  { what, who: 'address', name: address },
  ...(session === null ? [] : [{ what, who: 'session' as const, name: session }]),
  { what, who: 'all', name: '' },
];
