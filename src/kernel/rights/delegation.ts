/** Roles in ascending order: each includes the rights of those before it. */
const ROLES = ['viewer', 'editor', 'owner'] as const;

export type DelegatedRole = (typeof ROLES)[number];

/** A connected app, to which the person has given access. */
type ByProgram = {
  readonly kind: 'program';
  /** The name that the app gave itself. It is shown to people and proves nothing. */
  readonly clientName: string;
};

/** A script with an access token. The token’s name is stored outside the log, because a person chose it. */
type ByToken = {
  readonly kind: 'token';
  /** The trusted publisher (`pub_…`) through which the token was issued; null if a person created it. */
  readonly publisherId: string | null;
};

/**
 * A connected app or access token that acts for a person, with at most that person's rights. Rules get both, and apply
 * the lesser rights.
 */
export type Delegation = (ByProgram | ByToken) & {
  /** ID of the grant (`grt_…`) or token (`tok_…`). Revoking it ends the delegation. */
  readonly id: string;
  /** The highest role that it can have on any site. */
  readonly role: DelegatedRole;
  /**
   * The memberships (`mem_…`) that it is limited to, each on one site; null for all, including future ones. When a
   * membership ends, so do its delegations, even if the person joins the site again.
   */
  readonly memberIds: readonly string[] | null;
};

/** The person's role on a site, limited by the delegation; null if the delegation does not include this site. */
export function limitRole(
  delegation: Delegation | undefined,
  { memberId, role }: { readonly memberId: string; readonly role: DelegatedRole },
): DelegatedRole | null {
  if (!delegation) return role;
  if (delegation.memberIds && !delegation.memberIds.includes(memberId)) return null;
  return ROLES[Math.min(ROLES.indexOf(role), ROLES.indexOf(delegation.role))] ?? null;
}

/** Whether it can create sites: not if it is limited to certain sites or to reading. */
export const canCreateSites = ({ role, memberIds }: Delegation): boolean => role !== 'viewer' && memberIds === null;
