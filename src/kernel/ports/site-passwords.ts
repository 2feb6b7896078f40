/** Bytes that a password may have, in UTF-8. */
export const PASSWORD_BYTES = 1_024;

/**
 * What visitors of a site must know. Kept beside the log, where it can be erased: events name a password by its id.
 * Only a slow hash of it is kept, which a copy of the database alone is not enough to try passwords against.
 */
export abstract class SitePasswords {
  /** Keeps a password, durably. Refuses with `unavailable` when too many are looked at already. */
  abstract keep(passwordId: string, siteId: string, password: string): Promise<void>;

  /** Whether this is the password. False for one that was forgotten. Refuses as `keep` does. */
  abstract isRight(passwordId: string, password: string): Promise<boolean>;

  abstract forget(passwordId: string): Promise<void>;

  /** Forgets every password of the site but this one, unless it is so new that the event that names it may still come. */
  abstract forgetOthers(siteId: string, passwordId: string | null): Promise<void>;

  /** All that the site ever had: it is no more. */
  abstract forgetSite(siteId: string): Promise<void>;
}
