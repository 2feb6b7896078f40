/** A user whose data must be deleted. */
export type DataSubject = {
  readonly userId: string;
  /** The user's e-mail address in lower case. */
  readonly email: string;
};

/** A store outside the log and the user table that contains e-mail addresses, or data that might include one. */
export interface PersonalDataStore {
  /** Deletes everything that it stores about this user. Idempotent. */
  forget(person: DataSubject): Promise<void>;
}

/** All stores of personal data: the outbox, and every table that is marked as containing personal data. */
export class PersonalDataRegistry implements PersonalDataStore {
  constructor(private readonly list: () => readonly PersonalDataStore[]) {}

  /** Resolves when all stores have deleted the user’s data. */
  async forget(person: DataSubject): Promise<void> {
    for (const store of this.list()) await store.forget(person);
  }
}
