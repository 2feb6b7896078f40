/** What a session was begun for: a person's browser, a program that opened a mailed link, a terminal they let in. */
export type SessionPurpose = 'browser' | 'program' | 'terminal';

/** Somebody signed in, on one device. Times are RFC 3339. */
export type Session = {
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  /** When it ends if it is not used again. */
  readonly expiresAt: string;
  /** How the program that signed in calls itself; null when it does not say. */
  readonly client: string | null;
  readonly purpose: SessionPurpose;
};

/**
 * Sessions (docs/interface.md, "Lifetime of a session"): 7 days without use, 30 days at most. Of a token only the hash
 * is kept.
 */
export abstract class Sessions {
  /** Refuses with `unauthenticated` where the person was erased meanwhile. */
  abstract begin(session: {
    readonly sessionId: string;
    readonly tokenHash: string;
    readonly userId: string;
    readonly client: string | null;
    readonly purpose: SessionPurpose;
  }): Promise<Session>;

  /** The session of a token, which counts as used by this; null when it is unknown, ended or over. */
  abstract use(tokenHash: string): Promise<Session | null>;

  /** Everything a person is signed in with, the newest first. */
  abstract of(userId: string): Promise<readonly Session[]>;

  /** Ends one of the person's sessions at once, everywhere; false when they have no such session. */
  abstract end(userId: string, sessionId: string): Promise<boolean>;
}
