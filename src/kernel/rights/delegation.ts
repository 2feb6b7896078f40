/** How far a role goes: each includes the ones before it. */
const ROLES = ['viewer', 'editor', 'owner'] as const;

export type DelegatedRole = (typeof ROLES)[number];

/** A program that the person let in. */
type ByProgram = {
  readonly kind: 'program';
  /** As it names itself: for people, and never proof. */
  readonly clientName: string;
};

/** A script with a token. Its name is kept beside the log, as a person chose it, and joined where people read it. */
type ByToken = {
  readonly kind: 'token';
  /** The trusted publisher (`pub_…`) by which the token was had; null for one that a person made. */
  readonly publisherId: string | null;
};

/**
 * What acts for a person with less than their rights: a program that they let in, or a token that they made. A rule
 * sees it beside the person, and gives the lesser of what either may.
 */
export type Delegation = (ByProgram | ByToken) & {
  /** Of what the person gave, a grant (`grt_…`) or a token (`tok_…`): ending it ends the delegation. */
  readonly id: string;
  /** The most that it may do on any site. */
  readonly role: DelegatedRole;
  /**
   * The person's memberships that it is for (`mem_…`), each on one site; null for all, those to come included. A
   * membership that ends takes its delegations with it: joining the site again does not bring them back.
   */
  readonly memberIds: readonly string[] | null;
};

/** The role that remains of a person's own on a site: all of it without a delegation; null where that is for other sites. */
export function roleWithin(
  delegation: Delegation | undefined,
  { memberId, role }: { readonly memberId: string; readonly role: DelegatedRole },
): DelegatedRole | null {
  if (!delegation) return role;
  if (delegation.memberIds && !delegation.memberIds.includes(memberId)) return null;
  return ROLES[Math.min(ROLES.indexOf(role), ROLES.indexOf(delegation.role))] ?? null;
}

/** Whether new sites may be made: not for chosen sites alone, and not for who only reads. */
export const canCreateSites = ({ role, memberIds }: Delegation): boolean => role !== 'viewer' && memberIds === null;
