/**
 * The position of the last event that this process recorded or, before the first one, of the last event that existed
 * when it started. Waiting for this position is safe, because the event certainly exists.
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
