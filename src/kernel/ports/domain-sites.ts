import type { Caller, CommandContext } from '../command-context.js';
import type { Actor, Head } from '../event-store.js';

/** The latest state of a domain that was recorded in the history of its site. */
export type ToldDomain = {
  /** Revision of the last event of the domain’s stream that was recorded there. */
  readonly revision: number;
  readonly status: 'pending' | 'active' | 'lost' | 'failed' | 'removed';
  readonly redirectTo: string | null;
};

/** A site as its domains see it. */
export type DomainSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Whether a password is set that visitors can be asked for. */
  readonly hasPassword: boolean;
  /** User IDs of its owners. */
  readonly owners: readonly string[];
  /** By hostname. Includes removed domains. */
  readonly domains: Readonly<Record<string, ToldDomain>>;
};

/** The site’s stream after recording, and the position of the last event; null if nothing was new. */
export type ToldSite = { readonly head: Head; readonly position: bigint | null };

/** The operations of domains on their sites. `Event` is an event of the site’s stream. */
export abstract class DomainSites<Event> {
  /** The site with the slug, for an owner. Refuses as every change of a site does. */
  abstract ownedBy(slug: string, context: CommandContext): Promise<DomainSite>;

  /** The site with the slug, for a caller who can read its history. Refuses as the history does. */
  abstract readBy(slug: string, caller: Caller): Promise<Pick<DomainSite, 'siteId' | 'slug'>>;

  /** The current site; null if it is gone. */
  abstract find(siteId: string): Promise<DomainSite | null>;

  /** Records events at one revision of the domain’s stream in the site’s history. Idempotent. */
  abstract tell(
    siteId: string,
    hostname: string,
    events: readonly Event[],
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<ToldSite>;
}
