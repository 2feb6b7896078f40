/** Counts the bytes of content that all intakes together hold in memory. */
export class HeldMemory {
  #bytes = 0;

  constructor(readonly limit: number) {}

  get over(): boolean {
    return this.#bytes > this.limit;
  }

  hold(bytes: number): void {
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
