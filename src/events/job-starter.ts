import { z } from 'zod';

/** The credential that started a job, and the membership that it depends on. */
export const jobStarter = {
  /**
   * The ID of a membership, access token, trusted publisher or grant, or the SHA-256 of an edit token (hexadecimal).
   * Null
   * for jobs from before this was recorded: then the actor of the event decides.
   */
  by: z
    .strictObject({ kind: z.enum(['membership', 'token', 'publisher', 'grant', 'editToken']), id: z.string() })
    .nullable(),
  /** Null for an edit token. */
  memberId: z.string().nullable(),
};

export const jobTrust = {
  /**
   * Why the build can receive secrets: an owner started it with a session of their own, or it builds the head of the
   * linked repository. `none` if it cannot; null for jobs from before this was recorded.
   */
  trust: z.enum(['session', 'link', 'none']).nullable(),
  /** The link (`SiteRepositoryLinked`) whose branch the job builds without overrides; null for any other build. */
  linkId: z.string().nullable(),
};

/** For jobs from before the credential was recorded. */
export const withoutStarter = { by: null, memberId: null };
/** For jobs from before repositories could be linked. */
export const withoutTrust = { trust: null, linkId: null };

/** Why a job was stopped by the service; null if a caller stopped it. */
export const stopError = z.strictObject({ code: z.string(), message: z.string() }).nullable();
