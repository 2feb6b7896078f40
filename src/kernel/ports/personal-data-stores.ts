import type { Person } from './people.js';

/** Keeps addresses, or what may contain one, beside the log and beside `People`. */
export interface AddressKeeper {
  /** Forgets all that it keeps of this person. Harmless to repeat; nobody who has nothing of them is in the wrong. */
  forget(person: Pick<Person, 'userId' | 'email'>): Promise<void>;
}

/** Everybody who keeps addresses: whoever comes to keep one joins the list in `process/ports/kept.ports.ts`. */
export class AddressKeepers implements AddressKeeper {
  constructor(private readonly all: readonly AddressKeeper[]) {}

  /** Resolves when all of them have forgotten. */
  async forget(person: Pick<Person, 'userId' | 'email'>): Promise<void> {
    for (const keeper of this.all) await keeper.forget(person);
  }
}
