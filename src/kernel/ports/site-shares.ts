import type { Share } from '../shares/share.js';

/** Determines whose share a site counts towards. */
export abstract class SiteShares {
  /** Reads the log, so the result is current. Also works for a site that does not exist yet. */
  abstract shareOf(siteId: string): Promise<Share>;
}
