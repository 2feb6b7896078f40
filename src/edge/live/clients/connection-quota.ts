import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';

/**
 * Maximum number of connections, and of streams, per address, per session and per process. They are counted separately,
 * because one WebSocket connection carries many streams.
 */
export type ConnectionLimits = { readonly address: number; readonly session: number; readonly all: number };

type QuotaHolder = {
  readonly what: 'connections' | 'streams';
  readonly who: keyof ConnectionLimits;
  readonly name: string;
};

const words = { address: 'An IP address', session: 'A caller' } as const;

/**
 * Counts live connections and streams per address and session. Each method adds to the count and returns an idempotent
 * function that undoes this. Refuses, without counting, with `quota_exceeded` if the address or the session has reached
 * its limit, and with `unavailable` if the process has reached its limit.
 */
export class ConnectionQuota {
  readonly #held = new Map<string, number>();

  constructor(private readonly limits: ConnectionLimits) {}

  /** Counts a connection, which can carry many streams. */
  connection(address: string): () => void {
    return this.#take(holders('connections', address, null));
  }

  /** Counts a stream on a connection that was already counted. */
  stream(address: string, session: string | null): () => void {
    return this.#take(holders('streams', address, session));
  }

  /** Counts a connection together with the only stream that it carries. */
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
