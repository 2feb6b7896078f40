/** Of one site, and of all together, while nothing else is looked at. */
const OF_SITE = 2;
const IN_ALL = 50;

/**
 * What is looked at though recording has used up its share of a moment: the first few requests of each site. So a flood
 * of one site hides hardly anything of those that are visited now and then.
 */
export class Spared {
  readonly #ofSites = new Map<string, number>();
  #inAll = 0;

  /** Whether one more of the site is. */
  take(siteId: string): boolean {
    const ofSite = this.#ofSites.get(siteId) ?? 0;
    if (ofSite >= OF_SITE || this.#inAll >= IN_ALL) return false;
    this.#ofSites.set(siteId, ofSite + 1);
    this.#inAll += 1;
    return true;
  }

  /** The moment is over. */
  clear() {
    this.#ofSites.clear();
    this.#inAll = 0;
  }
}
