import type { Actor } from '../event-store.js';
import { refusals } from '../refusals.js';

/**
 * A credential is identified by the ID of a membership, access token, trusted publisher or grant, or by the SHA-256
 * hash of an edit token.
 */
type Credential = {
  readonly kind: 'membership' | 'token' | 'publisher' | 'grant' | 'editToken';
  readonly id: string;
};

/**
 * The reason why a build can receive the site’s secrets: an owner started it with their own session, or it builds the
 * head of the linked repository. `none` if it cannot receive them.
 */
export type JobTrust = 'session' | 'link' | 'none';

/** The caller who started a job, as recorded in the job’s first event. */
export type JobStarter = {
  /** The credential of the caller who started the job. Null for older jobs, which did not record it. */
  readonly by: Credential | null;
  /** The membership on which the credential depends, or null for an edit token. */
  readonly memberId: string | null;
  /** The reason why the build can receive secrets. Null for older jobs, which did not record it. */
  readonly trust: JobTrust | null;
  /** ID of the repository link, if the job builds the linked branch without overrides. Otherwise null. */
  readonly linkId: string | null;
};

/** The right to deploy on which a job depends while it waits and runs. If the right ends, the job is stopped. */
export type JobRight = {
  readonly kind: Credential['kind'];
  /** ID of the credential. Null for older jobs; their right depends on `userId`, or on the site having no owner. */
  readonly id: string | null;
  /** The membership on which the credential depends. Null for an edit token and for older jobs. */
  readonly memberId: string | null;
  readonly userId: string | null;
  /** The reason why the build can receive secrets. Null for older jobs, which are trusted if an owner started them. */
  readonly trust: JobTrust | null;
  /** ID of the repository link on which the job depends if its trust is `link`. */
  readonly linkId: string | null;
};

/** Returns the right on which a job depends. For older jobs, only the actor of the first event is known. */
export function toJobRight({ by, memberId, trust, linkId }: JobStarter, actor: Actor): JobRight {
  const { kind, id: userId = null, grant, token, publisher } = actor;
  if (by !== null) return { ...by, memberId, userId, trust, linkId };
  const older = { memberId: null, userId, trust, linkId };
  if (kind !== 'user') return { ...older, kind: 'editToken', id: null };
  if (grant !== undefined) return { ...older, kind: 'grant', id: grant };
  if (publisher !== undefined) return { ...older, kind: 'publisher', id: publisher };
  if (token !== undefined) return { ...older, kind: 'token', id: token };
  return { ...older, kind: 'membership', id: null };
}

/** Reasons why a job's right has ended. The expiry of a credential does not end the right. */
export type RightEnd =
  | 'member_removed'
  | 'member_demoted'
  | 'owner_demoted'
  | 'repository_unlinked'
  | 'claimed'
  | 'token_revoked'
  | 'publisher_removed'
  | 'grant_revoked'
  | 'taken_down'
  | 'site_deleted';

const REASONS: Record<RightEnd, string> = {
  member_removed: 'The user who started this job is no longer a member of the site.',
  member_demoted: 'The user who started this job is no longer an editor or owner of the site.',
  owner_demoted:
    'The user who started this job is no longer an owner of the site, so its build can no longer use the site’s secrets.',
  repository_unlinked: 'The repository link that this job depends on was changed or removed.',
  claimed: 'The site was claimed, so the edit token that started this job no longer works.',
  token_revoked: 'The access token that started this job was revoked.',
  publisher_removed: 'The trusted publisher that started this job was removed.',
  grant_revoked: 'The connected app that started this job no longer has access.',
  taken_down: refusals.taken_down.detail,
  site_deleted: 'The site was deleted.',
};

export const RIGHT_ENDED = 'right_ended';

export type StopError = { readonly code: string; readonly message: string };

export const rightEnded = (end: RightEnd): StopError => ({ code: RIGHT_ENDED, message: REASONS[end] });

export class RightEndedError extends Error {
  override readonly name = 'RightEndedError';

  constructor(readonly end: RightEnd) {
    super(REASONS[end]);
  }
}
