import type { ServerKind } from '../../../events/site/deploy-server.js';
import type { Visibility } from '../../../events/site/settings.events.js';
import type { Capabilities } from '../rules/resolve.js';

export type ServedCapabilities = Capabilities & {
  /** Whether the site's pages can send work to agents. */
  readonly connector: boolean;
  readonly analytics: boolean;
};

/** State required to serve a site. The object is never modified: each change creates a new one. */
export type ServedSite = {
  readonly siteId: string;
  readonly slug: string;
  /** ID of the live deploy, or null if the site has none. */
  readonly deployId: string | null;
  /** Digest of the live manifest or server, or null if the site has no deploy. */
  readonly manifest: string | null;
  /** Kind of server of the live deploy, or null for a deploy of files. */
  readonly program: ServerKind | null;
  /** Whether the site has no owner. Anonymous sites are hidden from search engines. */
  readonly anonymous: boolean;
  /** Expiry in milliseconds since 1970, or null if the site does not expire. */
  readonly expiresAt: number | null;
  readonly takenDown: boolean;
  /**
   * Time since which the site has shown its live deploy (see `computeModifiedTime`), or null if the site has no deploy.
   */
  readonly modifiedAt: number | null;
  readonly visibility: Visibility;
  readonly passwordId: string | null;
  /** IDs of users who have a role on the site. */
  readonly members: ReadonlySet<string>;
  readonly robots: 'index' | 'noindex';
  readonly capabilities: ServedCapabilities;
  /** Revision of the last event that changed the site. */
  readonly revision: number;
};
