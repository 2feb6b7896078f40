/** A value that is fetched on first use, and again when it is older than `forMs`. */
export class ExpiringValue<Found extends object> {
  #current: { readonly found: Found; readonly at: number } | null = null;
  #finding: Promise<Found> | null = null;

  constructor(
    private readonly find: () => Promise<Found>,
    private readonly forMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns the value. Concurrent callers share one fetch. If it fails, the next caller tries again. */
  async get(): Promise<Found> {
    if (this.#current && this.now() - this.#current.at < this.forMs) return this.#current.found;
    this.#finding ??= this.#findOut().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #findOut(): Promise<Found> {
    const found = await this.find();
    this.#current = { found, at: this.now() };
    return found;
  }
}
