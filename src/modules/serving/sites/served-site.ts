import type { ProgramKind } from '../../../events/site/program.js';
import type { Visibility } from '../../../events/site/settings.events.js';
import type { Capabilities } from '../rules/resolve.js';

/** What is switched on of it: what its files are shown with, and what its pages may ask for. */
export type ServedCapabilities = Capabilities & {
  /** Its pages may hand work to agents. */
  readonly connector: boolean;
  /** Its visits are counted. */
  readonly analytics: boolean;
};

/** What serving needs to know of a site. Each change makes another object, and nothing else does. */
export type ServedSite = {
  readonly siteId: string;
  readonly slug: string;
  /** The live deploy; null for a site that has none. */
  readonly deployId: string | null;
  /** Digest of the live manifest, or program; null for a site that has no deploy. */
  readonly manifest: string | null;
  /** How the live deploy runs; null where it is files. */
  readonly program: ProgramKind | null;
  /** Whether no user owns it: such sites are kept out of search engines. */
  readonly anonymous: boolean;
  /** When it expires, in milliseconds since 1970; null for a site that stays. */
  readonly expiresAt: number | null;
  readonly takenDown: boolean;
  /** Since when it shows this deploy, as `modifiedAfter` has it; null for a site that has none. */
  readonly modifiedAt: number | null;
  readonly visibility: Visibility;
  /** The id of its password; null where it has none. */
  readonly passwordId: string | null;
  /** Users who have a role on it. */
  readonly members: ReadonlySet<string>;
  /** Whether it asks search engines to leave it out. */
  readonly robots: 'index' | 'noindex';
  readonly capabilities: ServedCapabilities;
  /** Revision of the last event that changed it. */
  readonly revision: number;
};
