/** The user who owns what a build writes. */
export type Owner = { readonly uid: number; readonly gid: number };

/** Users that no machine knows; between those that distributions give out and those of containers. */
const FIRST = 64_100;
const MANY = 800;

/**
 * A user for each build: what the kernel counts by user (watches, pipes, keys, processes) one build cannot take from
 * another.
 */
export class Owners {
  readonly #taken = new Set<number>();
  /** Another process on this machine begins elsewhere. */
  #next = Math.floor(Math.random() * MANY);

  take(): Owner {
    do this.#next = (this.#next + 1) % MANY;
    while (this.#taken.has(this.#next) && this.#taken.size < MANY);
    this.#taken.add(this.#next);
    const uid = FIRST + this.#next;
    return { uid, gid: uid };
  }

  giveBack({ uid }: Owner): void {
    this.#taken.delete(uid - FIRST);
  }
}
