import type { Caller, CommandContext } from '../command-context.js';

/** A site, as its traffic pages see it. */
export type TrafficSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Whether visits are counted: the capability `analytics` is on. */
  readonly isCounted: boolean;
};

/** The author of a change, as recorded in the log of a site. */
export type TrafficActor = {
  readonly kind?: string;
  readonly id?: string;
  readonly token?: string;
  readonly publisher?: string;
};

/** Returns the current display name of an actor; null if it is not a person. */
export type NameOf = (actor: TrafficActor) => string | null;

/** Looks up sites for callers who view their traffic. Reads the log, so it is always current. */
export abstract class TrafficSites {
  /** The site with the slug, for a caller with its edit token or a role on it. Refuses as its history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<TrafficSite>;

  /**
   * Refuses as `readBy` does once a caller who had access can no longer read the site. Returns whether the caller sees
   * the
   * e-mail addresses of people without a name.
   */
  abstract assertCanStay(siteId: string, caller: Caller): Promise<{ readonly seesAddresses: boolean }>;

  /** The names of these actors, as the history shows them to this caller. */
  abstract namesFor(siteId: string, caller: Caller, actors: readonly TrafficActor[]): Promise<NameOf>;

  /** The names of these actors, as the history shows them to every caller with the same access to e-mail addresses. */
  abstract namesForAll(seesAddresses: boolean, actors: readonly TrafficActor[]): Promise<NameOf>;

  /** Whether the site exists: neither deleted nor expired. */
  abstract isThere(siteId: string): Promise<boolean>;
}
