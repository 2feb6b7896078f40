import { heardElsewhere } from '../ignored-fault.js';

/** Lets what concerns one key happen one after the other, and different keys side by side. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  async after<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.catch(heardElsewhere);
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
