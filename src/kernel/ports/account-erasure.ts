/** What becomes of a person's sites when their account is erased. */
export abstract class AccountErasure {
  /** The slugs of the sites that would have no owner without this person, as of now, in alphabetical order. */
  abstract ownedAlone(userId: string): Promise<readonly string[]>;

  /**
   * Ends all memberships of this person, as they themselves would. Refuses with `last_owner` when another owner has left
   * one of the sites to them meanwhile. Harmless to repeat: what was done by a try that broke off stays done.
   */
  abstract leaveAll(userId: string, at: string): Promise<void>;

  /**
   * Ends all memberships as `leaveAll` does, but deletes sites that would have no owner. A site that the operator took
   * down is not deleted: it stays with the operator, without an owner.
   */
  abstract leaveOrDeleteAll(userId: string, at: string): Promise<void>;
}
