/** A person whose data is to be forgotten. */
export type DataSubject = {
  readonly userId: string;
  /** Lower-cased. */
  readonly email: string;
};

/** Keeps addresses, or what may contain one, beside the log and beside the people themselves. */
export interface PersonalDataStore {
  /** Forgets all that it keeps of this person, if anything. Harmless to repeat. */
  forget(person: DataSubject): Promise<void>;
}

/** All stores of personal data: the outbox, and every table whose definition says that it contains some. */
export class PersonalDataStores implements PersonalDataStore {
  constructor(private readonly list: () => readonly PersonalDataStore[]) {}

  /** Resolves when all of them have forgotten the person. */
  async forget(person: DataSubject): Promise<void> {
    for (const store of this.list()) await store.forget(person);
  }
}
