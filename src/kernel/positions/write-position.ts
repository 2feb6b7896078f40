/** The position of the last event this process has recorded, or found recorded when it started: what a reader may expect to see. */
export class WritePosition {
  #position = 0n;

  get position() {
    return this.#position;
  }

  advanceTo(position: bigint) {
    if (position > this.#position) this.#position = position;
  }
}
