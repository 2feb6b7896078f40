import type { DataSubject, PersonalDataStore } from '../personal-data-stores.js';

export type Message = {
  /** The recipient's address. It must not be logged. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, with all URLs written out. */
  readonly text: string;
  readonly html: string;
};

export abstract class Mail {
  /** Resolves when the next mail server has accepted the mail. Otherwise refuses with `unavailable`. */
  abstract send(message: Message): Promise<void>;

  /**
   * Tests, without sending mail, whether the mail server would probably accept a mail now. Returns null if mail is not
   * configured. Never rejects, and ends within the mail timeout.
   */
  abstract checkReachable(): Promise<boolean | null>;
}

/** An email that was written to the outbox instead of being sent. */
export type OutboxEntry = {
  /** Time at which the mail was written (RFC 3339). */
  readonly at: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly links: readonly string[];
};

/** Stores mail on a developer’s machine without a mail server (docs/interface/operator.md, "Endpoints"). */
export abstract class Outbox implements PersonalDataStore {
  /** Returns up to a hundred mails, newest first, or null if there is no outbox. */
  abstract list(): Promise<readonly OutboxEntry[] | null>;

  /** Deletes all mails to this user, and mails that contain their address. */
  abstract forget(person: Pick<DataSubject, 'email'>): Promise<void>;
}
