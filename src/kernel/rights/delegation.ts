/** Roles in ascending order. Each includes the rights of the previous ones. */
const ROLES = ['viewer', 'editor', 'owner'] as const;

export type DelegatedRole = (typeof ROLES)[number];

/** A connected app. */
type ByConnectedApp = {
  readonly kind: 'program';
  /** The name that the app gave itself. Nobody has verified it. */
  readonly clientName: string;
};

/** A script with an access token. The token’s name is stored outside the log, because a user chose it. */
type ByToken = {
  readonly kind: 'token';
  /** The trusted publisher (`pub_…`) through which the token was issued, or null if a user created it. */
  readonly publisherId: string | null;
};

/**
 * A connected app or access token that acts for a user. It can do only what is allowed to the user and also to the app
 * or token itself.
 */
export type Delegation = (ByConnectedApp | ByToken) & {
  /** ID of the grant (`grt_…`) or token (`tok_…`). */
  readonly id: string;
  /** The highest role that the app or token can have on any site. */
  readonly role: DelegatedRole;
  /**
   * The memberships (`mem_…`) to which the app or token is limited, each for one site. If null, all memberships of the
   * user are included, even future ones. The app or token loses access when a membership ends, even if the user joins
   * the site again.
   */
  readonly memberIds: readonly string[] | null;
};

/**
 * Returns the user's role on a site, limited by the delegation. Returns null if the delegation does not include the
 * site.
 */
export function limitRole(
  delegation: Delegation | undefined,
  { memberId, role }: { readonly memberId: string; readonly role: DelegatedRole },
): DelegatedRole | null {
  if (!delegation) return role;
  if (delegation.memberIds && !delegation.memberIds.includes(memberId)) return null;
  return ROLES[Math.min(ROLES.indexOf(role), ROLES.indexOf(delegation.role))] ?? null;
}

/** Reports whether the app or token can create sites. It cannot if it is limited to certain sites or to reading. */
export const canCreateSites = ({ role, memberIds }: Delegation): boolean => role !== 'viewer' && memberIds === null;
