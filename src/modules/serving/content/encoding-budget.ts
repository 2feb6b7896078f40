import { LRUCache } from 'lru-cache';

/** Maximum number of sites whose budget is remembered. A site that was forgotten starts with a full budget. */
const SITES = 10_000;

type Left = { readonly bytes: number; readonly at: number };

/**
 * Limits how much of each site is compressed: `bytes` at once, refilled by `bytesPerSecond`. A site with thousands of
 * files that are requested in sequence uses its own share of the processor, not that of others.
 */
export class EncodingBudget {
  readonly #sites = new LRUCache<string, Left>({ max: SITES });

  constructor(
    private readonly bytes: number,
    private readonly bytesPerSecond: number,
    /** Time in milliseconds. */
    private readonly now = () => performance.now(),
  ) {}

  /** Takes this many bytes from the site’s budget. Returns false and takes nothing if too few are left. */
  take(siteId: string, bytes: number): boolean {
    const at = this.now();
    const before = this.#sites.get(siteId) ?? { bytes: this.bytes, at };
    const left = Math.min(this.bytes, before.bytes + ((at - before.at) / 1_000) * this.bytesPerSecond);
    if (bytes > left) return false;
    this.#sites.set(siteId, { bytes: left - bytes, at });
    return true;
  }
}
