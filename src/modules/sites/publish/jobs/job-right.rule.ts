import { type Caller, type CommandContext, sameDigest } from '../../../../kernel/command-context.js';
import { type JobRight, type JobStarter, type JobTrust, type RightEnd } from '../../../../kernel/rights/job-right.js';
import { assertCanEdit } from '../../site/assert-access.rule.js';
import { type Member } from '../../site/state/people.state.js';
import type { SiteLink } from '../../site/state/settings.state.js';
import { type LiveSite, type Site } from '../../site/state/site.state.js';

/**
 * Returns who starts a job, with which credential, and the reason why the build is trusted, if any. Refuses a caller who
 * cannot edit the site. `linkId` is the ID of the site's repository link if the job builds the linked branch without
 * overrides.
 */
export function createJobStarter(site: Site, context: CommandContext, linkId: string | null): JobStarter {
  const { members, editTokenHash } = assertCanEdit(site, context);
  const { userId, delegation } = context.caller;
  // A site has either members or an edit token. This site has an edit token, which the caller must have sent in order
  // to pass the check above.
  if (editTokenHash !== null)
    return { by: { kind: 'editToken', id: editTokenHash }, memberId: null, trust: 'none', linkId: null };
  const member = userId === null ? undefined : members[userId];
  const memberId = member?.memberId ?? '';
  const trust = trustOf(member, delegation, linkId);
  return { by: toJobCredential(delegation, memberId), memberId, trust, linkId };
}

/** Scheduled builds count as started by the owner who linked the repository. */
export const createScheduledStarter = ({ linkId, memberId }: SiteLink): JobStarter => ({
  by: { kind: 'membership', id: memberId },
  memberId,
  trust: 'link',
  linkId,
});

/**
 * Returns why a build is trusted, or `none`. An owner's token or app does not make a build trusted, because it could be
 * tricked into building a server that reads the secrets.
 */
function trustOf(member: Member | undefined, delegation: Caller['delegation'], linkId: string | null): JobTrust {
  if (member?.role === 'owner' && !delegation) return 'session';
  return linkId === null ? 'none' : 'link';
}

/** Reports whether a build with this right receives the site's secrets. Does not check whether the right has ended. */
export function isTrusted(site: Site, right: JobRight): boolean {
  if (right.trust !== null) return right.trust !== 'none';
  // The job was queued by an earlier version, which did not record whether builds are trusted.
  return site.status === 'live' && right.kind === 'membership' && memberWith(site, right)?.role === 'owner';
}

export function toJobCredential(delegation: Caller['delegation'], memberId: string): NonNullable<JobStarter['by']> {
  if (!delegation) return { kind: 'membership', id: memberId };
  if (delegation.kind === 'program') return { kind: 'grant', id: delegation.id };
  const { publisherId, id } = delegation;
  return publisherId === null ? { kind: 'token', id } : { kind: 'publisher', id: publisherId };
}

/**
 * Returns why a right to deploy the site has ended, or null if it has not. Considers only the site's stream, which does
 * not record revocations of personal tokens and grants. An expired site accepts no deploys from anyone.
 */
export function whyRightEnded(site: Site, right: JobRight): RightEnd | null {
  if (site.status === 'unknown' || site.status === 'deleted') return 'site_deleted';
  if (site.takenDown) return 'taken_down';
  if (site.status === 'expired') return null;
  if (right.kind === 'editToken') return isEditTokenOf(site, right.id) ? null : 'claimed';
  const member = memberWith(site, right);
  if (!member) return 'member_removed';
  if (member.role === 'viewer') return 'member_demoted';
  if (right.trust === 'session' && member.role !== 'owner') return 'owner_demoted';
  if (right.trust === 'link' && site.repository?.linkId !== right.linkId) return 'repository_unlinked';
  const isDistrusted =
    right.kind === 'publisher' && !site.publishers.some(({ publisherId }) => publisherId === right.id);
  return isDistrusted ? 'publisher_removed' : null;
}

/**
 * Reports whether a right comes from an access token for this site, rather than a personal token for all sites of a
 * user.
 */
export const isSiteToken = (site: Site, { kind, id }: JobRight): boolean =>
  kind === 'token' && site.status === 'live' && site.tokens.some(({ tokenId }) => tokenId === id);

const isEditTokenOf = ({ editTokenHash }: LiveSite, hash: string | null): boolean =>
  editTokenHash !== null && (hash === null || sameDigest(hash, editTokenHash));

/** A user who was removed and joined again has a new membership, without the rights of the earlier one. */
function memberWith({ members }: LiveSite, { memberId, userId }: JobRight): Member | undefined {
  if (memberId !== null) return Object.values(members).find((member) => member.memberId === memberId);
  return userId !== null && Object.hasOwn(members, userId) ? members[userId] : undefined;
}
