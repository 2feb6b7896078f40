/**
 * A map with a bound, made of two: when the young one is full it becomes the old one, and what of the old one was not
 * asked for meanwhile is forgotten. It costs a hit one look, where a list in order of use costs two changes.
 */
export class Remembered<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(
    /** Of each of the two. */
    private readonly capacity: number,
  ) {}

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value) {
    if (this.#young.size >= this.capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
