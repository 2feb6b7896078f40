import type { Person } from './people.js';
import type { AddressKeeper } from './personal-data-stores.js';

/** People who want to hear when there is more. Addresses are kept beside the log, where they can be erased. */
export abstract class Waitlist implements AddressKeeper {
  /** Adds the address, compared lower-cased, durably; one that is there already stays as it is. */
  abstract join(email: string, note: string | null): Promise<void>;

  abstract forget(person: Pick<Person, 'email'>): Promise<void>;
}
