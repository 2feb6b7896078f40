import { z } from 'zod';

export const jobStarter = {
  /**
   * The credential with which a job was started: the ID of a membership, access token, trusted publisher or grant, or
   * the hexadecimal SHA-256 hash of an edit token. Null for older jobs, for which the actor of the event is used
   * instead.
   */
  by: z
    .strictObject({ kind: z.enum(['membership', 'token', 'publisher', 'grant', 'editToken']), id: z.string() })
    .nullable(),
  /** The membership on which the credential depends, or null for an edit token. */
  memberId: z.string().nullable(),
};

export const jobTrust = {
  /**
   * Why the build can receive secrets: an owner started it with their own session, or it builds the head of the
   * linked repository. `none` if it cannot receive them. Null for older jobs.
   */
  trust: z.enum(['session', 'link', 'none']).nullable(),
  /**
   * The link (`SiteRepositoryLinked`) whose branch the job builds without overrides. Null if the job has overrides or
   * does not build a linked branch.
   */
  linkId: z.string().nullable(),
};

/** Values for older jobs, whose events do not contain the credential that started them. */
export const withoutStarter = { by: null, memberId: null };
/** Values for jobs from before repositories could be linked. */
export const withoutTrust = { trust: null, linkId: null };

/** The reason why the service itself stopped a job, or null if a caller stopped it. */
export const stopError = z.strictObject({ code: z.string(), message: z.string() }).nullable();
