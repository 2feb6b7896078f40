import { z } from 'zod';

/** The credential by which a job was started, and the membership that it depends on. */
export const jobStarter = {
  /**
   * The ID of a membership, access token, trusted publisher or grant, or the SHA-256 of an edit token (hexadecimal). Null
   * where it was not recorded yet: the actor of the event decides.
   */
  by: z
    .strictObject({ kind: z.enum(['membership', 'token', 'publisher', 'grant', 'editToken']), id: z.string() })
    .nullable(),
  /** Null for an edit token. */
  memberId: z.string().nullable(),
};

export const jobTrust = {
  /**
   * Why the build may receive secrets: an owner started it with a session of their own, or it builds the head of the
   * linked repository. `none` if it may not; null where that was not recorded yet.
   */
  trust: z.enum(['session', 'link', 'none']).nullable(),
  /** The link (`SiteRepositoryLinked`) whose branch it builds with nothing overridden; null for any other build. */
  linkId: z.string().nullable(),
};

/** For jobs that were queued before the credential was recorded. */
export const withoutStarter = { by: null, memberId: null };
/** For jobs that were queued before repositories could be linked. */
export const withoutTrust = { trust: null, linkId: null };

/** Why a job was stopped by the service; null if a caller stopped it. */
export const stopError = z.strictObject({ code: z.string(), message: z.string() }).nullable();
