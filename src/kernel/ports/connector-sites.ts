import type { CommandContext } from '../command-context.js';

/** A site, as its connector sees it. */
export type ConnectorSite = { readonly siteId: string; readonly slug: string };

/**
 * Looks up sites for the management of their connectors. Reads the log, so it is always current, but too slow for each
 * invocation.
 */
export abstract class ConnectorSites {
  /** The site with the slug, for a caller with any role on it. Refuses as its history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<ConnectorSite>;

  /** The site with the slug, for an owner. Refuses as every change of a site does. */
  abstract ownedBy(slug: string, context: CommandContext): Promise<ConnectorSite>;

  /** Whether the site exists: neither deleted nor expired. */
  abstract isThere(siteId: string): Promise<boolean>;

  /** Whether agents can use the token: it was not revoked, and the person who created it is still an owner. */
  abstract canUseToken(siteId: string, tokenId: string): Promise<boolean>;
}

/** Looks up sites for each invocation. Reads memory, like the serving of sites. */
export abstract class ConnectorHosts {
  /** The site with the slug. Refuses with `site_not_found`, `site_expired`, `taken_down`. */
  abstract named(slug: string): ConnectorSite;

  /**
   * The site of a host, for a visitor with these cookies. Refuses as `named` does, and with `unauthenticated` if the
   * cookies do not grant access.
   */
  abstract visited(host: string | undefined, cookie: string | undefined): Promise<ConnectorSite>;

  /** The current slug of the site; null if the site is gone. */
  abstract slugOf(siteId: string): string | null;

  /** Whether the site can send work to agents. */
  abstract hasConnector(siteId: string): boolean;

  /** Whether this origin belongs to the site: its host, one of its domains, or one of its deploys. */
  abstract isOrigin(siteId: string, origin: string): Promise<boolean>;
}
