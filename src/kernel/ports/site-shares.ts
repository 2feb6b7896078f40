/** Whose share of what all sites use together (servers, build tools, job logs) a site counts towards. */
export abstract class SiteShares {
  /** A key that is equal for all sites of one owner. It can change, for example when the site is claimed. */
  abstract shareOf(siteId: string): Promise<string>;
}
