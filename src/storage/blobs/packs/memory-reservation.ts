/** Counts the bytes that are buffered in memory for all deploys being received. */
export class MemoryReservation {
  #bytes = 0;

  constructor(readonly limit: number) {}

  get isExceeded(): boolean {
    return this.#bytes > this.limit;
  }

  reserve(bytes: number): void {
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
