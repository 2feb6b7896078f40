import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';
import {
  assertAvailable,
  determineAccess,
  NO_ROLE,
  reasonOfAbsence,
  refuseAccess,
  type SiteFacts,
  type SiteRights,
} from '../../../kernel/rights/site-access.js';
import type { Member } from './state/people.state.js';
import type { LiveSite, Site } from './state/site.state.js';

const NO_TOKENS = 'Access tokens can’t do this. Sign in as an owner of the site.';

/** Refuses unless the caller can deploy the site: with its edit token, as an owner or as an editor. */
export function assertCanEdit(site: Site, context: CommandContext): LiveSite {
  const [live, { canEdit, role }] = visibleSite(site, context);
  return canEdit ? live : refuseAccess(live, context.caller, explainWhyNotEditor(context.caller, role));
}

/** Explains the refusal. "Only owners can do this" would confuse an owner whose token or app can only read. */
function explainWhyNotEditor({ delegation }: Caller, role: DelegatedRole | null): string {
  if (!delegation || role === null) return 'Only owners and editors of this site can do this.';
  return `This ${delegation.kind === 'token' ? 'access token' : 'connected app'} can only read the site.`;
}

/** Refuses unless the caller has the edit token or any role, and so can see the deploys, files, history and members. */
export function assertCanRead(site: Site, context: CommandContext): LiveSite {
  const [live, { canRead }] = visibleSite(site, context);
  return canRead ? live : refuseAccess(live, context.caller, NO_ROLE);
}

/** Refuses unless the caller is an owner. A site without an owner must be claimed first. */
export function assertIsOwner(site: Site, context: CommandContext): LiveSite {
  const [live, { isOwner, hasEditToken }] = visibleSite(site, context);
  if (isOwner) return live;
  if (hasEditToken) return refuse('forbidden', 'This site has no owner yet. Claim it first.');
  const isToken = context.caller.delegation?.kind === 'token';
  return refuseAccess(live, context.caller, isToken ? NO_TOKENS : 'Only owners of this site can do this.');
}

/** Like `assertIsOwner`, but also refuses access tokens: a script can't manage access, or rename or delete the site. */
export function assertCanManage(site: Site, context: CommandContext): LiveSite {
  const live = assertIsOwner(site, context);
  if (context.caller.delegation?.kind !== 'token') return live;
  return refuse('forbidden', NO_TOKENS);
}

/** Like `assertCanManage`, but also refuses connected apps: an app can't grant rights to others. */
export function assertCanDelegate(site: Site, context: CommandContext): LiveSite & { readonly member: Member } {
  const live = assertCanManage(site, context);
  const { userId, delegation } = context.caller;
  const member = userId === null ? undefined : live.members[userId];
  if (!delegation && member) return { ...live, member };
  return refuse('forbidden', 'Connected apps can’t do this. Sign in as an owner of the site.');
}

/** Refuses unless the site exists, is not hidden from the caller, has not expired and was not taken down. */
export const assertVisible = (site: Site, context: CommandContext): LiveSite => visibleSite(site, context)[0];

function visibleSite(site: Site, { caller, at }: CommandContext): readonly [LiveSite, SiteRights] {
  const access = determineAccess(factsOf(site, caller), caller, at);
  assertAvailable(access);
  // The cast is safe, because `assertAvailable` refuses unless the site exists.
  return [site as LiveSite, access];
}

/** Refuses every caller unless the site exists and can be changed. */
export function assertExists(site: Site, at: string): LiveSite {
  assertAvailable(determineAccess({ ...factsOf(site, null), visibility: 'public' }, NOBODY, at));
  return site as LiveSite;
}

/** Reports whether the caller must not learn that the site exists. A site that no longer exists is not hidden. */
export const isHiddenFromCaller = (site: Site, caller: Caller): boolean =>
  site.status === 'live' && !accessOf(site, caller).canSee;

/** Reports whether the caller has a role on the site or its edit token, even if the site no longer exists. */
export const isInvolved = (site: Site, caller: Caller): boolean => accessOf(site, caller).isInvolved;

/** Reports whether the site has no owner and the caller sent its edit token. */
export const hasEditToken = (site: Site, caller: Caller): boolean => accessOf(site, caller).hasEditToken;

/** Returns the caller's role, or the lower role of the connected app or token that acts for them. */
export const findRole = (site: Site, caller: Caller): DelegatedRole | null => accessOf(site, caller).role;

/** Reports whether the site exists, has not expired at this time and was not taken down. Ignores visibility. */
export const isAvailable = (site: Site, at: string): site is LiveSite =>
  site.status === 'live' && reasonOfAbsence(site, at) === null;

const NOBODY: Caller = { userId: null, editTokenHash: null };

/** Returns the caller's rights, apart from those that depend on the time. */
const accessOf = (site: Site, caller: Caller): SiteRights => determineAccess(factsOf(site, caller), caller, '');

function factsOf(site: Site, caller: Pick<Caller, 'userId'> | null): SiteFacts {
  const facts = { status: site.status, visibility: 'public', expiresAt: null, takenDown: false } as const;
  if (site.status === 'unknown') return { ...facts, editTokenHash: null, membership: null };
  const { editTokenHash } = site;
  const takenDown = site.status !== 'deleted' && site.takenDown;
  if (site.status !== 'live') return { ...facts, takenDown, editTokenHash, membership: null };
  const { visibility, expiresAt, members } = site;
  const userId = caller?.userId ?? null;
  const membership = userId !== null && Object.hasOwn(members, userId) ? (members[userId] ?? null) : null;
  return { status: 'live', visibility, expiresAt, takenDown, editTokenHash, membership };
}
