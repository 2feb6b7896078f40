import type { Caller, CommandContext } from '../command-context.js';

/** A site, as its traffic sees it. */
export type TrafficSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Whether its visits are counted: its capability `analytics` is on. */
  readonly isCounted: boolean;
};

/** What is asked of sites by those who look at their traffic, from the log: right at once. */
export abstract class TrafficSites {
  /** The site with the slug, for the edit token or anybody with a role on it. Refuses as its history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<TrafficSite>;

  /** Refuses as `readBy` does, once a caller who was let in may not read it any more. */
  abstract mayStay(siteId: string, caller: Caller): Promise<void>;

  /** Whether the site is there still: neither deleted nor over. */
  abstract isThere(siteId: string): Promise<boolean>;
}
