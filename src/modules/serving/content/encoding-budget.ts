import { LRUCache } from 'lru-cache';

/** Maximum number of sites whose budget is remembered. Other sites start with a full budget. */
const SITES = 10_000;

type Left = { readonly bytes: number; readonly at: number };

/**
 * Limits how much content of each site is compressed: `bytes` at a time, refilled by `bytesPerSecond`. If thousands of
 * a site's files are requested in sequence, the site uses up its own share of the CPU rather than that of others.
 */
export class EncodingBudget {
  readonly #sites = new LRUCache<string, Left>({ max: SITES });

  constructor(
    private readonly bytes: number,
    private readonly bytesPerSecond: number,
    /** Returns the time in milliseconds. */
    private readonly now = () => performance.now(),
  ) {}

  /** Takes this many bytes from the site's budget. Returns false without taking any if too few are left. */
  take(siteId: string, bytes: number): boolean {
    const at = this.now();
    const before = this.#sites.get(siteId) ?? { bytes: this.bytes, at };
    const left = Math.min(this.bytes, before.bytes + ((at - before.at) / 1_000) * this.bytesPerSecond);
    if (bytes > left) return false;
    this.#sites.set(siteId, { bytes: left - bytes, at });
    return true;
  }
}
