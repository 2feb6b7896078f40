import type { Caller, CommandContext } from '../../../../kernel/command-context.js';
import { sameDigest } from '../../../../kernel/command-context.js';
import type { JobRight, JobStarter, RightEnd } from '../../../../kernel/rights/job-right.js';
import { assertCanEdit } from '../../site/assert-access.decide.js';
import type { Member } from '../../site/people.state.js';
import type { LiveSite, Site } from '../../site/site.state.js';

/** Returns by which credential the caller starts a job on the site. Refuses a caller who cannot edit it. */
export function starterOf(site: Site, context: CommandContext): JobStarter {
  const { members, editTokenHash } = assertCanEdit(site, context);
  const { userId, delegation } = context.caller;
  // A site has either members or an edit token.
  if (editTokenHash !== null) return { by: { kind: 'editToken', id: editTokenHash }, memberId: null };
  const memberId = (userId === null ? undefined : members[userId]?.memberId) ?? '';
  return { by: credentialOf(delegation, memberId), memberId };
}

function credentialOf(delegation: Caller['delegation'], memberId: string): NonNullable<JobStarter['by']> {
  if (!delegation) return { kind: 'membership', id: memberId };
  if (delegation.kind === 'program') return { kind: 'grant', id: delegation.id };
  const { publisherId, id } = delegation;
  return publisherId === null ? { kind: 'token', id } : { kind: 'publisher', id: publisherId };
}

/**
 * Why a job with this right can no longer act on the site; null if it still can, as far as the site records it: the
 * revocation of personal tokens and grants is not in its stream. A site that has expired refuses deploys for all.
 */
export function whyRightEnded(site: Site, right: JobRight): RightEnd | null {
  if (site.status === 'unknown' || site.status === 'deleted') return 'site_deleted';
  if (site.status === 'expired') return null;
  if (site.takenDown) return 'taken_down';
  if (right.kind === 'editToken') return isEditTokenOf(site, right.id) ? null : 'claimed';
  const member = memberWith(site, right);
  if (!member) return 'member_removed';
  if (member.role === 'viewer') return 'member_demoted';
  const isDistrusted =
    right.kind === 'publisher' && !site.publishers.some(({ publisherId }) => publisherId === right.id);
  return isDistrusted ? 'publisher_removed' : null;
}

/** Whether this is an access token of the site, rather than one that a person made for all their sites. */
export const isTokenOf = (site: Site, { kind, id }: JobRight): boolean =>
  kind === 'token' && site.status === 'live' && site.tokens.some(({ tokenId }) => tokenId === id);

const isEditTokenOf = ({ editTokenHash }: LiveSite, hash: string | null): boolean =>
  editTokenHash !== null && (hash === null || sameDigest(hash, editTokenHash));

/** A person who was removed and joined again has another membership: rights of the earlier one do not come back. */
function memberWith({ members }: LiveSite, { memberId, userId }: JobRight): Member | undefined {
  if (memberId !== null) return Object.values(members).find((member) => member.memberId === memberId);
  return userId !== null && Object.hasOwn(members, userId) ? members[userId] : undefined;
}
