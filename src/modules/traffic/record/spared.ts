/**
 * Maximum numbers of requests, per site and for all sites, that are still recorded in a window after recording has used
 * up its CPU time.
 */
const OF_SITE = 2;
const IN_ALL = 50;

type SiteCount = { asked: number; taken: number };

/**
 * Selects the requests that are still recorded in a window after recording has used up its CPU time. These are the
 * first few of each site, so that a flood on one site does not hide sites with few visitors. All other requests are
 * only counted.
 */
export class Spared {
  #ofSites = new Map<string, SiteCount>();
  #inAll = 0;

  /** Reports whether to record another request of the site. If not, the request is only counted. */
  take(siteId: string): boolean {
    const site = this.#ofSites.get(siteId) ?? this.#first(siteId);
    site.asked += 1;
    if (site.taken >= OF_SITE || this.#inAll >= IN_ALL) return false;
    site.taken += 1;
    this.#inAll += 1;
    return true;
  }

  /** Ends the window. Returns the number of requests of each site that were counted but not recorded. */
  turn(): [siteId: string, counted: number][] {
    const over = [...this.#ofSites].map(([siteId, { asked, taken }]): [string, number] => [siteId, asked - taken]);
    this.#ofSites = new Map();
    this.#inAll = 0;
    return over.filter(([, counted]) => counted > 0);
  }

  #first(siteId: string): SiteCount {
    const site = { asked: 0, taken: 0 };
    this.#ofSites.set(siteId, site);
    return site;
  }
}
