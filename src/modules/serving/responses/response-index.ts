import { Inject, Injectable } from '@nestjs/common';
import type { OnSent } from '../../../edge/http/server/first-handler.js';
import { reasonOfAbsence } from '../../../kernel/rights/site-access.js';
import type { VisitedPlace } from '../../traffic/api/served-request.js';
import { apart } from '../content/apart.js';
import { GenerationalCache } from '../content/generational-cache.js';
import type { ServedDomain } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';
import type { FileResponse } from './file-response.js';
import type { SiteForm } from './site-headers.js';

/**
 * Capacity of each of the cache's two generations, in bytes. In total, the cache has room for about thirty thousand
 * URLs of sites that set few headers.
 */
const REMEMBERED = 32 * 1_024 * 1_024;
const MAX_KEY_CHARACTERS = 1_024;

/** Latest response for a URL. The entry is valid as long as `ServingIndex` returns the same object for the site. */
export type KnownResponse = {
  /** Domain that the site was found by, or null if it was not found by a domain. */
  readonly domain: ServedDomain | null;
  /** Slug that the site was found by, or null if it was found by a deploy ID or domain. */
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly form: SiteForm;
  readonly answer: FileResponse;
  readonly place: VisitedPlace;
  readonly onSent: OnSent | null;
};

/** Caches responses that are identical for every visitor, by URL. */
@Injectable()
export class ResponseIndex {
  readonly #known = new GenerationalCache<KnownResponse>(
    REMEMBERED,
    (address, { answer }) => address.length + answer.bytes,
  );

  constructor(
    @Inject(ServingIndex) private readonly index: Pick<ServingIndex, 'site' | 'siteById' | 'siteOn' | 'domains'>,
  ) {}

  /** Returns the response for a URL, or undefined if it is not cached or no longer valid. */
  at(host: string | undefined, url: string): KnownResponse | undefined {
    const known = this.#known.get(addressOf(host, url));
    return known && this.stillShows(known) ? known : undefined;
  }

  /** Caches the response for a URL. It must be identical for every visitor, whatever the request contains. */
  keep(host: string | undefined, url: string, known: KnownResponse) {
    const address = addressOf(host, url);
    if (!url.startsWith('/') || address.length > MAX_KEY_CHARACTERS) return;
    this.#known.set(apart(address), known);
    known.answer.onGrowth = (bytes) => this.#known.grow(bytes);
  }

  /** Reports whether the site is unchanged: its slug and domain still lead to the same object. */
  stillShows({ domain, slug, site }: Pick<KnownResponse, 'domain' | 'slug' | 'site'>): boolean {
    return this.#siteAt(domain, slug, site) === site && reasonOfAbsence(site, Date.now()) === null;
  }

  #siteAt(domain: ServedDomain | null, slug: string | null, { siteId }: ServedSite): ServedSite | undefined {
    if (slug !== null) return this.index.site(slug);
    if (domain === null) return this.index.siteById(siteId);
    const { domains } = this.index;
    const stands = domains.at(domain.hostname) === domain && domains.redirectOf(domain) === null;
    return stands ? this.index.siteOn(domain.hostname) : undefined;
  }
}

/** Returns the key of a host and URL. URLs contain no spaces, so different requests never have the same key. */
const addressOf = (host: string | undefined, url: string) => `${host} ${url}`;
