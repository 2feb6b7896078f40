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

/** For jobs that were queued before the credential was recorded. */
export const withoutStarter = { by: null, memberId: null };

/** Why a job was stopped by the service; null if a caller stopped it. */
export const stopError = z.strictObject({ code: z.string(), message: z.string() }).nullable();
