import { LRUCache } from 'lru-cache';

/** Sites whose budget is remembered; one that is forgotten begins with a whole one. */
const SITES = 10_000;

type Left = { readonly bytes: number; readonly at: number };

/**
 * How much of each site may be compressed: so many bytes at once, and so many more in each second that passes. A site of
 * thousands of files, asked for one after another, takes its own share of the processor and not the others’.
 */
export class EncodingBudget {
  readonly #sites = new LRUCache<string, Left>({ max: SITES });

  constructor(
    private readonly bytes: number,
    private readonly bytesPerSecond: number,
    /** Milliseconds. */
    private readonly now = () => performance.now(),
  ) {}

  /** Takes so many bytes from what is left for the site; false, with nothing taken, where there are not as many. */
  take(siteId: string, bytes: number): boolean {
    const at = this.now();
    const before = this.#sites.get(siteId) ?? { bytes: this.bytes, at };
    const left = Math.min(this.bytes, before.bytes + ((at - before.at) / 1_000) * this.bytesPerSecond);
    if (bytes > left) return false;
    this.#sites.set(siteId, { bytes: left - bytes, at });
    return true;
  }
}
