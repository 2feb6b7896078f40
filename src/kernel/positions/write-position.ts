/**
 * The position of the last event that this process recorded, or that existed when it started. Readers can rely on it.
 */
export class WritePosition {
  #position = 0n;

  get position() {
    return this.#position;
  }

  advanceTo(position: bigint) {
    if (position > this.#position) this.#position = position;
  }
}
