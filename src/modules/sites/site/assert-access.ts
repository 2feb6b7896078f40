import type { Role } from '../../../events/site/member.events.js';
import { type Caller, type CommandContext, sameDigest } from '../../../kernel/command-context.js';
import { roleWithin } from '../../../kernel/delegation.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Member, Site } from './site.state.js';

export type LiveSite = Extract<Site, { status: 'live' }>;

/**
 * Refuses unless the caller may deploy the site: with its edit token, as an owner or an editor. It checks in the order of
 * docs/interface/conventions.md, "Order of checks": existence, gone, who, may. A site is gone at its very time, whether
 * or not that is recorded yet.
 */
export function assertCanEdit(site: Site, { caller, at }: CommandContext): LiveSite {
  const live = isThereFor(site, { caller, at });
  if (canPublish(live, caller)) return live;
  return denyAccess(live, caller, 'Only an owner or an editor of this site may do this.');
}

/** Refuses unless the caller may see the site's deploys, files, history and members: its edit token, or any role on it. */
export function assertCanRead(site: Site, { caller, at }: CommandContext): LiveSite {
  const live = isThereFor(site, { caller, at });
  if (holdsToken(live, caller) || roleOf(live, caller) !== null) return live;
  return denyAccess(live, caller, 'You have no role on this site.');
}

/** Refuses unless the caller is an owner. An edit token is not enough: its holder may claim the site first. */
export function assertIsOwner(site: Site, { caller, at }: CommandContext): LiveSite {
  const live = isThereFor(site, { caller, at });
  if (roleOf(live, caller) === 'owner') return live;
  if (holdsToken(live, caller)) return refuse('forbidden', 'This site is nobody’s yet. Claim it, and it is yours.');
  return denyAccess(live, caller, 'Only an owner of this site may do this.');
}

/**
 * As `assertIsOwner`, and not with a token: a script that holds one decides neither who else may act, nor what the site is called,
 * nor that it ends.
 */
export function assertCanManage(site: Site, context: CommandContext): LiveSite {
  const live = assertIsOwner(site, context);
  if (context.caller.delegation?.kind !== 'token') return live;
  return refuse('forbidden', 'Tokens are not for this: a person who owns the site signs in for it.');
}

/** As `assertIsOwner`, and in person: what acts for a person lets nothing else do so. Answers the owner’s membership too. */
export function assertCanDelegate(site: Site, context: CommandContext): LiveSite & { readonly member: Member } {
  const live = assertCanManage(site, context);
  const { userId, delegation } = context.caller;
  const member = userId === null ? undefined : live.members[userId];
  if (!delegation && member) return { ...live, member };
  return refuse('forbidden', 'Programs are not for this: a person who owns the site signs in for it.');
}

function denyAccess(site: LiveSite, { editTokenHash, userId }: Caller, forbidden: string): never {
  if (editTokenHash !== null) return refuseEditToken(site);
  if (userId !== null) return refuse('forbidden', forbidden);
  return refuse('unauthenticated', 'Send the site’s edit token in x-svc-edit-token, or sign in.');
}

/** Refuses an edit token that is not the site’s: a claim has ended it, or it is another’s. */
export function refuseEditToken({ editTokenHash }: { readonly editTokenHash: string | null }): never {
  if (editTokenHash !== null) return refuse('edit_token_invalid', 'This edit token does not belong to this site.');
  return refuse('edit_token_invalid', 'This site has an owner now, and its edit token ended with that.', [], {
    suggestion:
      'Sign in as its owner. For a script an owner makes a token (POST /v1/sites/{slug}/tokens), which is sent as authorization: Bearer stele_pat_….',
  });
}

/**
 * A site that is not public is, to a caller without a role, none at all: this comes before every other check
 * (docs/interface/conventions.md, "Order of checks").
 */
function isThereFor(site: Site, { caller, at }: CommandContext): LiveSite {
  return isHiddenFrom(site, caller) ? refuse('site_not_found') : isThere(site, at);
}

/** Whether the caller is not to know that there is such a site. */
export const isHiddenFrom = (site: Site, caller: Caller): boolean =>
  site.status === 'live' && site.visibility !== 'public' && !isTheirs(site, caller);

/** Refuses any caller unless the site is there to be changed: the first of these checks. */
export function isThere(site: Site, at: string): LiveSite {
  if (site.status === 'unknown' || site.status === 'deleted') return refuse('site_not_found');
  if (site.status === 'expired' || hasExpired(site, at)) return refuse('site_expired', 'The site’s time was over.');
  if (site.takenDown) return refuse('taken_down', 'The operator has taken this site down.');
  return site;
}

/** The site's edit token, its owners and its editors. */
function canPublish(site: LiveSite, caller: Caller): boolean {
  const role = roleOf(site, caller);
  return role === 'owner' || role === 'editor' || holdsToken(site, caller);
}

/** Whether the site is the caller's in any way, also where it is gone: strangers do not learn what became of it. */
export const isTheirs = (site: Site, caller: Caller): boolean =>
  site.status !== 'unknown' && (holdsToken(site, caller) || (site.status === 'live' && roleOf(site, caller) !== null));

/** The role that the caller acts with: a program that acts for a person has the lesser of theirs and its own. */
export function roleOf({ members }: LiveSite, { userId, delegation }: Caller): Role | null {
  const member = userId !== null && Object.hasOwn(members, userId) ? members[userId] : undefined;
  return member ? roleWithin(delegation, member) : null;
}

/** Whether the caller sent the edit token of this very site, while it has no owner. */
export const holdsToken = (site: { readonly editTokenHash: string | null }, { editTokenHash }: Caller): boolean =>
  editTokenHash !== null && site.editTokenHash !== null && sameDigest(editTokenHash, site.editTokenHash);

/** RFC 3339 in UTC with milliseconds sorts as time does. */
export const hasExpired = ({ expiresAt }: LiveSite, at: string) => expiresAt !== null && at >= expiresAt;
