/** Of one site, and of all together, while nothing else is looked at. */
const OF_SITE = 2;
const IN_ALL = 50;

type SiteCount = { asked: number; taken: number };

/**
 * What is looked at though recording has used up its share of a moment: the first few requests of each site. So a flood
 * of one site hides hardly anything of those that are visited now and then. All others are counted, and no more.
 */
export class Spared {
  #ofSites = new Map<string, SiteCount>();
  #inAll = 0;

  /** Whether one more of the site is; it is counted otherwise. */
  take(siteId: string): boolean {
    const site = this.#ofSites.get(siteId) ?? this.#first(siteId);
    site.asked += 1;
    if (site.taken >= OF_SITE || this.#inAll >= IN_ALL) return false;
    site.taken += 1;
    this.#inAll += 1;
    return true;
  }

  /** The moment is over. Answers how many were only counted, of the sites that had such. */
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
