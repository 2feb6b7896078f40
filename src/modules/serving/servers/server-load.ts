export type LoadLimits = { readonly ofSite: number; readonly inAll: number };

/** Limits the open requests to the server of each site, so that no site can use up all connections. */
export class ServerLoad {
  readonly #bySite = new Map<string, number>();
  #all = 0;
  readonly #onEmpty: (() => void)[] = [];

  constructor(private readonly limits: LoadLimits) {}

  empty(): Promise<void> {
    if (this.#all === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /** Counts a request of the site. Returns false if a limit is reached. Otherwise the caller must call `leave` once. */
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
    if (this.#all === 0) for (const tell of this.#onEmpty.splice(0)) tell();
  }
}
