export type Owner = { readonly uid: number; readonly gid: number };

/**
 * First of MANY user IDs that belong to no account. They lie between the IDs that distributions assign and those that
 * containers use.
 */
const FIRST = 64_100;
const MANY = 800;

/** Assigns each build its own user ID, because the kernel limits watches, pipes, keys and processes per user. */
export class OwnerPool {
  readonly #taken = new Set<number>();
  /** The first ID is random, to avoid collisions with other processes on this machine. */
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
