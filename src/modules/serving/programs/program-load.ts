/** How many may be open at once. */
export type LoadLimits = { readonly ofSite: number; readonly inAll: number };

/** Counts what is open for each site, so that no site takes the connections of all others. */
export class ProgramLoad {
  readonly #bySite = new Map<string, number>();
  #all = 0;

  constructor(private readonly limits: LoadLimits) {}

  get size(): number {
    return this.#all;
  }

  /** False where it would be one too many; else `leave` is to follow, once. */
  enter(siteId: string): boolean {
    const before = this.#bySite.get(siteId) ?? 0;
    if (before >= this.limits.ofSite || this.#all >= this.limits.inAll) return false;
    this.#bySite.set(siteId, before + 1);
    this.#all += 1;
    return true;
  }

  leave(siteId: string) {
    const left = (this.#bySite.get(siteId) ?? 1) - 1;
    this.#all -= 1;
    if (left > 0) this.#bySite.set(siteId, left);
    else this.#bySite.delete(siteId);
  }
}
