/**
 * A map of bounded weight, made of two: when the young one is full it becomes the old one, and what was in the old one and not used
 * meanwhile is forgotten. Ours, and not `lru-cache`, as each request asks it: a hit is one look and takes two thirds of
 * the time (lab note 0056).
 */
export class GenerationalCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  /** Of the young one. */
  #weight = 0;

  constructor(
    /** What each of the two may weigh. */
    private readonly capacity: number,
    private readonly weigh: (key: string, value: Value) => number,
  ) {}

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value) {
    if (this.#weight >= this.capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, value);
    this.#weight += this.weigh(key, value);
  }

  /** Counts what a value in it has gained since it was set. */
  grow(weight: number) {
    this.#weight += weight;
  }
}
