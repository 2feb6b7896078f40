/** A person whose data has to be deleted. */
export type DataSubject = {
  readonly userId: string;
  /** Lower-cased. */
  readonly email: string;
};

/** A store that contains e-mail addresses, or data that may include one, outside the log and the users themselves. */
export interface PersonalDataStore {
  /** Deletes everything that it stores about this person. Idempotent. */
  forget(person: DataSubject): Promise<void>;
}

/** All stores of personal data: the outbox, and every table that is marked as containing it. */
export class PersonalDataRegistry implements PersonalDataStore {
  constructor(private readonly list: () => readonly PersonalDataStore[]) {}

  /** Resolves when all stores have deleted the person’s data. */
  async forget(person: DataSubject): Promise<void> {
    for (const store of this.list()) await store.forget(person);
  }
}
