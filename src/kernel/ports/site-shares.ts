import type { Share } from '../shares/share.js';

/** Tells whose share a site counts towards. */
export abstract class SiteShares {
  /** From the log itself, as of now. Also for a site that does not exist yet. */
  abstract shareOf(siteId: string): Promise<Share>;
}
