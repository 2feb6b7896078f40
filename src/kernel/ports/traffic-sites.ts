import type { Caller, CommandContext } from '../command-context.js';

/** A site, as its traffic sees it. */
export type TrafficSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Whether its visits are counted: its capability `analytics` is on. */
  readonly isCounted: boolean;
};

/** Who did something, as the log of a site keeps it. */
export type TrafficActor = {
  readonly kind?: string;
  readonly id?: string;
  readonly token?: string;
  readonly publisher?: string;
};

/** What to call the person who did something, as of now; null where no person did it. */
export type NameOf = (actor: TrafficActor) => string | null;

/** What is asked of sites by those who look at their traffic, from the log: right at once. */
export abstract class TrafficSites {
  /** The site with the slug, for a caller with its edit token or a role on it. Refuses as its history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<TrafficSite>;

  /**
   * Refuses as `readBy` does, once a caller who was let in may not read it any more. Answers whether they see the addresses
   * of those who have no name.
   */
  abstract assertCanStay(siteId: string, caller: Caller): Promise<{ readonly seesAddresses: boolean }>;

  /** What to call the actors that are asked for, as the history names them to this caller. */
  abstract namesFor(siteId: string, caller: Caller, actors: readonly TrafficActor[]): Promise<NameOf>;

  /** What to call the actors that are asked for, as the history names them to every caller who sees as much. */
  abstract namesForAll(seesAddresses: boolean, actors: readonly TrafficActor[]): Promise<NameOf>;

  /** Whether the site is there still: neither deleted nor over. */
  abstract isThere(siteId: string): Promise<boolean>;
}
