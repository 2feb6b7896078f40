import type { CommandContext } from '../command-context.js';

/** A site, as its connector sees it. */
export type ConnectorSite = { readonly siteId: string; readonly slug: string };

/** What is asked of sites for their connectors, from the log: right at once, and not for each invocation. */
export abstract class ConnectorSites {
  /** The site with the slug, for a caller with any role on it. Refuses as its history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<ConnectorSite>;

  /** The site with the slug, for an owner of it. Refuses as every change of a site does. */
  abstract ownedBy(slug: string, context: CommandContext): Promise<ConnectorSite>;

  /** Whether the site is there still: neither deleted nor over. */
  abstract isThere(siteId: string): Promise<boolean>;

  /** Whether agents of the site can use the token: it was not revoked, and the person who created it is still an owner. */
  abstract canUseToken(siteId: string, tokenId: string): Promise<boolean>;
}

/** What may be asked for each invocation: from memory, as this process serves sites. */
export abstract class ConnectorHosts {
  /** The site with the slug. Refuses with `site_not_found`, `site_expired`, `taken_down`. */
  abstract named(slug: string): ConnectorSite;

  /**
   * The site that a host shows, for a visitor with these cookies. Refuses as `named`, and with `unauthenticated` where
   * they do not admit to it.
   */
  abstract visited(host: string | undefined, cookie: string | undefined): Promise<ConnectorSite>;

  /** The slug that the site has now; null for one that is gone. */
  abstract slugOf(siteId: string): string | null;

  /** Whether the site may hand work to agents. */
  abstract hasConnector(siteId: string): boolean;

  /** Whether pages of this origin are pages of the site: on its host, on a domain of its own, or of one of its deploys. */
  abstract isOrigin(siteId: string, origin: string): Promise<boolean>;
}
