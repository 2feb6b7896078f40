import type { DataSubject, PersonalDataStore } from '../personal-data-stores.js';

export type Message = {
  /** One address. It is never logged. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, with every address written out in full. */
  readonly text: string;
  readonly html: string;
};

/** Sends mail. */
export abstract class Mail {
  /** Resolves when the next server on the way has taken it; refuses with `unavailable` where mail cannot be sent. */
  abstract send(message: Message): Promise<void>;

  /**
   * Whether mail could be sent now, as far as can be told without sending any; null where it cannot be sent at all. It
   * never rejects, and may take as long as a server that says nothing is waited for.
   */
  abstract isReachable(): Promise<boolean | null>;
}

/** A mail that was written into the outbox instead of being sent. */
export type OutboxEntry = {
  /** RFC 3339. */
  readonly at: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The addresses in the text. */
  readonly links: readonly string[];
};

/** Where mail goes on a developer's machine without a mail server (docs/interface/operator.md, "Endpoints"). */
export abstract class Outbox implements PersonalDataStore {
  /** The newest first, a hundred at most; null where mail is sent, or cannot be. */
  abstract list(): Promise<readonly OutboxEntry[] | null>;

  /** Removes what was written to this person, and what names their address. */
  abstract forget(person: Pick<DataSubject, 'email'>): Promise<void>;
}
