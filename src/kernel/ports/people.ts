export type Person = {
  readonly userId: string;
  /** Lower-cased. */
  readonly email: string;
  readonly name: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
};

/** Who a person is at an identity provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** How a person goes: alone, or with the sites that would have no owner. */
export type PendingErasure = 'alone' | 'with-sites';

/**
 * The one place that knows addresses. Events, sessions and everything else name people by id, so that a person can be
 * erased here and the log stays whole (docs/interface.md, "Being forgotten").
 */
export abstract class People {
  abstract find(userId: string): Promise<Person | null>;

  /** Those of them who are known, by id. */
  abstract findAll(userIds: readonly string[]): Promise<ReadonlyMap<string, Person>>;

  /** The person who has this address now, compared lower-cased; nobody is made. */
  abstract findByEmail(email: string): Promise<Person | null>;

  /** The person with this address, compared lower-cased; made with the id where there is none yet. */
  abstract withEmail(email: string, fresh: { readonly userId: string }): Promise<Person>;

  /** The person who came from an identity provider before. */
  abstract knownAs(identity: Identity): Promise<Person | null>;

  /**
   * The person who came from an identity provider before; else the one with this address, which the provider has
   * verified, who is known by the identity from now on; made with the id where there is none yet.
   */
  abstract withIdentity(
    identity: Identity,
    email: string,
    name: string | null,
    fresh: { readonly userId: string },
  ): Promise<Person>;

  /** Keeps in mind that the person is being erased, and what becomes of their sites; null: they are not after all. */
  abstract setGoing(userId: string, pendingErasure: PendingErasure | null): Promise<void>;

  /** Everybody whose erasure was begun and not ended. */
  abstract going(): Promise<readonly { readonly userId: string; readonly pendingErasure: PendingErasure }[]>;

  /** Forgets the person: address, name, identities, sessions. Their id stays in the log and leads nowhere. */
  abstract erase(userId: string): Promise<void>;
}
