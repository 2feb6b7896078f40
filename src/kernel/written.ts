/** The position of the last event this process has recorded. */
export class Written {
  #position = 0n;

  get position() {
    return this.#position;
  }

  upTo(position: bigint) {
    if (position > this.#position) this.#position = position;
  }
}
