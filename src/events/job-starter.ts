import { z } from 'zod';

/** The credential that started a job, and the membership on which it depends. */
export const jobStarter = {
  /**
   * The ID of a membership, access token, trusted publisher or grant, or the SHA-256 hash of an edit token (in
   * hexadecimal). Null for older jobs, for which this was not recorded; the event's actor is used instead.
   */
  by: z
    .strictObject({ kind: z.enum(['membership', 'token', 'publisher', 'grant', 'editToken']), id: z.string() })
    .nullable(),
  /** The membership on which the credential depends, or null for an edit token. */
  memberId: z.string().nullable(),
};

export const jobTrust = {
  /**
   * Why the build can receive secrets: either an owner started it with their own session, or it builds the head of the
   * linked repository. `none` if it cannot. Null for older jobs, for which this was not recorded.
   */
  trust: z.enum(['session', 'link', 'none']).nullable(),
  /** The link (`SiteRepositoryLinked`) whose branch the job builds without overrides, or null for any other build. */
  linkId: z.string().nullable(),
};

/** Values for older jobs, for which the credential was not recorded. */
export const withoutStarter = { by: null, memberId: null };
/** Values for jobs from the time when repositories could not be linked. */
export const withoutTrust = { trust: null, linkId: null };

/** Why the service stopped a job, or null if a caller stopped it. */
export const stopError = z.strictObject({ code: z.string(), message: z.string() }).nullable();
