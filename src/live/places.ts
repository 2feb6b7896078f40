import { refuse } from '../kernel/refusal.js';

/** How many connections one address and one session may hold at once, and all together. */
export type MostConnections = { readonly address: number; readonly session: number; readonly all: number };

/** Counts who holds how many connections. */
export class Places {
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(private readonly most: MostConnections) {}

  /**
   * Takes a place; the answer gives it back, once. Refuses with `quota_exceeded` when the address or the session holds
   * all it may, with `unavailable` when the process does.
   */
  take(address: string, session: string | null): () => void {
    const keys = [`address ${address}`, ...(session === null ? [] : [`session ${session}`])];
    if (this.#of(keys[0]) >= this.most.address) {
      refuse('quota_exceeded', `One address may hold ${this.most.address} live connections at once.`);
    }
    if (session !== null && this.#of(keys[1]) >= this.most.session) {
      refuse('quota_exceeded', `One session may hold ${this.most.session} live connections at once.`);
    }
    if (this.#all >= this.most.all) refuse('unavailable', 'This server holds as many live connections as it may.');

    this.#all++;
    for (const key of keys) this.#held.set(key, this.#of(key) + 1);
    return () => {
      this.#all--;
      for (const key of keys.splice(0)) this.#giveBack(key);
    };
  }

  #of = (key = '') => this.#held.get(key) ?? 0;

  #giveBack(key: string) {
    const left = this.#of(key) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }
}
