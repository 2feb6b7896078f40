import type { Person } from './people.js';
import type { PersonalDataStore } from './personal-data-stores.js';

export type SentInvite = {
  readonly inviteId: string;
  readonly siteId: string;
  readonly email: string;
  /** RFC 3339. */
  readonly expiresAt: string;
};

/**
 * Whom invites went to. Events name an invite by its id alone, so that an address can be erased here and the log stays
 * whole (docs/interface.md, "Being forgotten"). What nobody needs any more is forgotten: an invite that was answered or
 * is over.
 */
export abstract class Invites implements PersonalDataStore {
  /** Keeps the address, compared lower-cased. */
  abstract keep(invite: SentInvite): Promise<void>;

  /** The invites to this site that went to the address and are not over, the oldest first. */
  abstract to(siteId: string, email: string): Promise<readonly string[]>;

  /** Addresses by invite. One that was forgotten is not among them. */
  abstract emailsOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Forgets whom these went to. */
  abstract drop(inviteIds: readonly string[]): Promise<void>;

  /** Forgets the address, whoever invited it where. An invite that is open stays so, for whoever has its mail. */
  abstract forget(person: Pick<Person, 'email'>): Promise<void>;
}
