import type { ServerKind } from '../../../events/site/deploy-server.js';
import type { Visibility } from '../../../events/site/settings.events.js';
import type { Capabilities } from '../rules/resolve.js';

/** Enabled features of a site. */
export type ServedCapabilities = Capabilities & {
  /** Whether its pages can send work to agents. */
  readonly connector: boolean;
  /** Whether its visits are counted. */
  readonly analytics: boolean;
};

/** The state of a site that serving needs. Each change creates a new object, and nothing else does. */
export type ServedSite = {
  readonly siteId: string;
  readonly slug: string;
  /** ID of the live deploy; null for a site without one. */
  readonly deployId: string | null;
  /** Digest of the live manifest or server; null for a site without a deploy. */
  readonly manifest: string | null;
  /** Kind of server of the live deploy; null for a deploy of files. */
  readonly program: ServerKind | null;
  /** Whether no user owns the site. Such sites are kept out of search engines. */
  readonly anonymous: boolean;
  /** Expiry in milliseconds since 1970; null for a site that does not expire. */
  readonly expiresAt: number | null;
  readonly takenDown: boolean;
  /** Time since which the site shows this deploy (see `computeModifiedTime`); null for a site without a deploy. */
  readonly modifiedAt: number | null;
  readonly visibility: Visibility;
  /** ID of the site’s password; null if it has none. */
  readonly passwordId: string | null;
  /** IDs of users who have a role on the site. */
  readonly members: ReadonlySet<string>;
  /** Whether search engines may index the site. */
  readonly robots: 'index' | 'noindex';
  readonly capabilities: ServedCapabilities;
  /** Revision of the last event that changed the site. */
  readonly revision: number;
};
