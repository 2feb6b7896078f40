/** Handles the sites of a person whose account is erased. */
export abstract class AccountErasure {
  /** The slugs of the sites that would have no owner without this person, in alphabetical order. */
  abstract ownedAlone(userId: string): Promise<readonly string[]>;

  /**
   * Ends all memberships of this person as if they left. Refuses with `last_owner` if this person has become the only
   * owner
   * of a site in the meantime. Idempotent: memberships that an interrupted attempt ended stay ended.
   */
  abstract leaveAll(userId: string, at: string): Promise<void>;

  /**
   * Ends all memberships as `leaveAll` does, but deletes sites that would have no owner. A site that the operator took
   * down
   * is not deleted: it remains without an owner.
   */
  abstract leaveOrDeleteAll(userId: string, at: string): Promise<void>;
}
