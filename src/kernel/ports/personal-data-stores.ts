export type DataSubject = {
  readonly userId: string;
  /** The user's email address in lower case. */
  readonly email: string;
};

/** A store outside the log and the user table that contains, or might contain, email addresses. */
export interface PersonalDataStore {
  /** Deletes everything that this store contains about the user. Idempotent. */
  forget(person: DataSubject): Promise<void>;
}

/** All stores of personal data: the outbox, and every table marked as containing personal data. */
export class PersonalDataRegistry implements PersonalDataStore {
  constructor(private readonly list: () => readonly PersonalDataStore[]) {}

  async forget(person: DataSubject): Promise<void> {
    for (const store of this.list()) await store.forget(person);
  }
}
