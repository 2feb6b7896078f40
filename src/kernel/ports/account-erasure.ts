/** What becomes of a person's sites when the person goes. */
export abstract class Departures {
  /** The slugs of the sites that would have no owner without this person, as of now, in alphabetical order. */
  abstract ownedAlone(userId: string): Promise<readonly string[]>;

  /**
   * Ends all memberships of this person, by their own hand. Refuses with `last_owner` when somebody else has left one
   * of the sites to them meanwhile. Harmless to repeat: what was done by a try that broke off stays done.
   */
  abstract leaveAll(userId: string, at: string): Promise<void>;

  /**
   * The same, but a site that would have no owner is deleted. One that the operator took down is not: it stays with the
   * operator, without an owner.
   */
  abstract leaveOrDeleteAll(userId: string, at: string): Promise<void>;
}
