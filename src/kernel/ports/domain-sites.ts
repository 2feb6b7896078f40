import type { Caller, CommandContext } from '../command-context.js';
import type { Actor, Head } from '../event-store.js';

/** What the history of a site has told of one of its domains last. */
export type ToldDomain = {
  /** Of the event of the domain's stream that was told last. */
  readonly revision: number;
  readonly status: 'pending' | 'active' | 'lost' | 'failed' | 'removed';
  readonly redirectTo: string | null;
};

/** A site as its domains see it. */
export type DomainSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Whether there is a password that visitors can be asked for. */
  readonly hasPassword: boolean;
  /** Users who own it. */
  readonly owners: readonly string[];
  /** By hostname; also those that it has no more. */
  readonly domains: Readonly<Record<string, ToldDomain>>;
};

/** What was written of a site: how its stream stands, and where in the log; null where nothing was new. */
export type ToldSite = { readonly head: Head; readonly position: bigint | null };

/** What domains do with the sites that they show. Events are those of the site's own history. */
export abstract class DomainSites<Event> {
  /** The site with the slug, for an owner of it. Refuses as every change of a site does. */
  abstract ownedBy(slug: string, context: CommandContext): Promise<DomainSite>;

  /** The site with the slug, for a caller who may read its history. Refuses as the history does. */
  abstract readBy(slug: string, caller: Caller): Promise<Pick<DomainSite, 'siteId' | 'slug'>>;

  /** The site as it stands; null where it is gone. */
  abstract find(siteId: string): Promise<DomainSite | null>;

  /** Tells in the site's history what stands at one place of the domain's stream. What was told already is not told again. */
  abstract tell(
    siteId: string,
    hostname: string,
    events: readonly Event[],
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<ToldSite>;
}
