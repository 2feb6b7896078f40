import { LRUCache } from 'lru-cache';

/** Number of sites whose budgets are remembered. Other sites start with a full budget. */
const SITES = 10_000;

type Left = { readonly bytes: number; readonly at: number };

/**
 * Limits how much of each site's content is compressed. Each site has a budget of at most `bytes`, which is refilled at
 * a rate of `bytesPerSecond`.
 */
export class EncodingBudget {
  readonly #sites = new LRUCache<string, Left>({ max: SITES });

  constructor(
    private readonly bytes: number,
    private readonly bytesPerSecond: number,
    private readonly now = () => performance.now(),
  ) {}

  /** Charges bytes to a site's budget. Returns false, and charges nothing, if too few bytes are left. */
  take(siteId: string, bytes: number): boolean {
    const at = this.now();
    const before = this.#sites.get(siteId) ?? { bytes: this.bytes, at };
    const left = Math.min(this.bytes, before.bytes + ((at - before.at) / 1_000) * this.bytesPerSecond);
    if (bytes > left) return false;
    this.#sites.set(siteId, { bytes: left - bytes, at });
    return true;
  }
}
