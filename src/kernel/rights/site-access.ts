import { type Caller, sameDigest } from '../command-context.js';
import { Refusal, refuse } from '../refusal.js';
import { type DelegatedRole, limitRole } from './delegation.js';

/** The facts that determine who can see, read, edit and own a site. */
export type SiteFacts = {
  readonly status: 'unknown' | 'live' | 'expired' | 'deleted';
  readonly visibility: 'public' | 'password' | 'members';
  /**
   * Expiry (RFC 3339), or null if the site does not expire. From that time on the site is unavailable, even if no event
   * records the expiry yet.
   */
  readonly expiresAt: string | null;
  readonly takenDown: boolean;
  /** Hexadecimal SHA-256 hash of the edit token, or null if the site has an owner. */
  readonly editTokenHash: string | null;
  readonly membership: { readonly memberId: string; readonly role: DelegatedRole } | null;
};

export type SiteRights = {
  /** The problem code if the site is not available to the caller, otherwise null. */
  readonly unavailable: 'site_not_found' | 'site_expired' | 'taken_down' | null;
  /** The caller's role, limited to that of the connected app or token that acts for them. */
  readonly role: DelegatedRole | null;
  readonly hasEditToken: boolean;
  /**
   * Whether the caller has a role or the edit token. Nobody else learns that a site is hidden, or why it is
   * unavailable.
   */
  readonly isInvolved: boolean;
  /** Whether the caller may know that the site exists. Passwords and memberships of visitors are checked elsewhere. */
  readonly canSee: boolean;
  /** Whether the caller can read deploys, files, history and members. */
  readonly canRead: boolean;
  /** Whether the caller can deploy, roll back and change settings. */
  readonly canEdit: boolean;
  readonly isOwner: boolean;
};

/**
 * Determines a caller’s rights on a site at a given time (RFC 3339). Every access rule uses this function
 * (docs/interface/conventions.md, "Order of checks").
 */
export function determineAccess(site: SiteFacts, caller: Caller, at: string): SiteRights {
  const hasEditToken = holdsEditToken(site, caller);
  const role = site.membership && limitRole(caller.delegation, site.membership);
  const isInvolved = hasEditToken || role !== null;
  const exists = site.status !== 'unknown' && site.status !== 'deleted';
  const canSee = exists && !isHidden(site.visibility, isInvolved);
  const unavailable = canSee ? reasonOfAbsence(site, at) : 'site_not_found';
  const canEdit = hasEditToken || role === 'editor' || role === 'owner';
  return {
    unavailable,
    role,
    hasEditToken,
    isInvolved,
    canSee,
    canRead: isInvolved,
    canEdit,
    isOwner: role === 'owner',
  };
}

export const isHidden = (visibility: SiteFacts['visibility'], isInvolved: boolean): boolean =>
  visibility !== 'public' && !isInvolved;

/**
 * Reports whether a site has expired. Times are either RFC 3339 timestamps in UTC with milliseconds, which sort by time,
 * or milliseconds since 1970.
 */
export const hasExpired = <Time extends string | number>(
  { expiresAt }: { readonly expiresAt: Time | null },
  at: Time,
): boolean => expiresAt !== null && at >= expiresAt;

/** Reports whether the caller sent the site's edit token. A site with an edit token has no owner. */
const holdsEditToken = (site: Pick<SiteFacts, 'editTokenHash'>, { editTokenHash }: Caller): boolean =>
  editTokenHash !== null && site.editTokenHash !== null && sameDigest(editTokenHash, site.editTokenHash);

/**
 * Returns why a site is unavailable to everyone at a given time, or null if it is available. A takedown takes precedence
 * over the expiry, because all URLs of a site that was taken down return 451 (docs/operate.md). The serving index has no
 * status: once a site has expired, its expiry has passed.
 */
export function reasonOfAbsence<Time extends string | number>(
  site: Pick<SiteFacts, 'takenDown'> & Partial<Pick<SiteFacts, 'status'>> & { readonly expiresAt: Time | null },
  at: Time,
): 'site_expired' | 'taken_down' | null {
  if (site.takenDown) return 'taken_down';
  return site.status === 'expired' || hasExpired(site, at) ? 'site_expired' : null;
}

/** Refuses with `site_not_found`, `site_expired` or `taken_down` if the site is not available. */
export function assertAvailable({ unavailable }: Pick<SiteRights, 'unavailable'>): void {
  // The HTTP layer adds the site’s name to the message of `site_not_found`. A missing site and a hidden site must have
  // the same message.
  if (unavailable !== null) refuse(unavailable);
}

/** Refusal for a missing or hidden site. */
export const siteNotFound = (slug: string) =>
  new Refusal('site_not_found', `There is no site “${slug}”, or you have no access to it.`);

/** Refuses a caller who lacks the rights, with `edit_token_invalid`, `forbidden` or `unauthenticated`. */
export function refuseAccess(site: Pick<SiteFacts, 'editTokenHash'>, caller: Caller, forbidden: string): never {
  if (caller.editTokenHash !== null) return refuseEditToken(site);
  if (caller.userId !== null) return refuse('forbidden', forbidden);
  return refuse('unauthenticated', 'Sign in, or send the site’s edit token in the x-svc-edit-token header.');
}

function refuseEditToken({ editTokenHash }: Pick<SiteFacts, 'editTokenHash'>): never {
  if (editTokenHash !== null) return refuse('edit_token_invalid', 'This is not the site’s edit token.');
  return refuse('edit_token_invalid', 'This site has been claimed, so its edit token no longer works.', [], {
    suggestion: 'Sign in as an owner or editor. For a script, create an access token: POST /v1/sites/{slug}/tokens.',
  });
}

export const NO_ROLE = 'You are not a member of this site.';
