import type { ShareCounter, ShareUse } from './share-use.js';

const DAY_MS = 86_400_000;

/**
 * A process reserves at most 1/64 of a daily limit at a time, so that not every request has to write to the database.
 */
const PARTS = 64;
const MAX_PART_BYTES = 16 * 2 ** 20;

/**
 * Maximum number of users and networks for which a process remembers reserved but unspent amounts. Beyond that, the
 * oldest amounts are treated as spent.
 */
const MAX_SHARES = 10_000;

/**
 * A daily limit for each share, that is, for each user or network. The limit applies to all processes together and
 * survives restarts. Each process reserves a part of a share's limit and spends it without coordination. A request may
 * therefore be refused slightly too early, by at most one part per process, but a share never exceeds its limit.
 */
export class DailyAllowance {
  readonly #left = new Map<string, number>();
  #day = 0;

  constructor(
    private readonly use: Pick<ShareUse, 'take'>,
    private readonly counter: ShareCounter,
    readonly limit: number,
  ) {}

  /** Amount that a process reserves in the database each time, if that much is left. */
  get part(): number {
    return Math.max(1, Math.min(MAX_PART_BYTES, Math.floor(this.limit / PARTS)));
  }

  /** Seconds until the limits are reset at midnight (UTC). */
  get resetSeconds(): number {
    return Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1_000);
  }

  /** Spends an amount of a share's daily limit. Returns false if less than this amount is left today. */
  async spend(share: string, amount: number): Promise<boolean> {
    this.#turn();
    const left = this.#left.get(share) ?? 0;
    if (left >= amount) {
      this.#left.set(share, left - amount);
      return true;
    }
    // Set the remaining amount to zero while another part is being reserved, so that no concurrent call spends it.
    this.#left.set(share, 0);
    const missing = amount - left;
    const got = await this.#take(share, missing).catch((error: unknown) => {
      this.#add(share, left);
      throw error;
    });
    this.#add(share, got === 0 ? left : got - missing);
    return got > 0;
  }

  async #take(share: string, missing: number): Promise<number> {
    for (const amount of new Set([Math.max(missing, this.part), missing]))
      if (await this.use.take(this.counter, share, amount, this.limit)) return amount;
    return 0;
  }

  #add(share: string, amount: number): void {
    this.#left.set(share, (this.#left.get(share) ?? 0) + amount);
    if (this.#left.size > MAX_SHARES) for (const oldest of this.#left.keys()) return void this.#left.delete(oldest);
  }

  #turn(): void {
    const day = Math.floor(Date.now() / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#left.clear();
  }
}
