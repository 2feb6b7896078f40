import { Inject, Injectable } from '@nestjs/common';
import type { OnSent } from '../../../edge/http/server/first-handler.js';
import type { VisitedPlace } from '../../traffic/api/served-request.js';
import { apart } from '../content/apart.js';
import { GenerationalCache } from '../content/generational-cache.js';
import type { ServedDomain } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';
import type { FileResponse } from './file-response.js';
import type { SiteForm } from './site-headers.js';

/**
 * Half the size of the index, in bytes. The whole index holds about thirty thousand addresses of sites that choose few
 * headers.
 */
const REMEMBERED = 32 * 1_024 * 1_024;
/** Length of the longest address that is remembered, in characters. */
const MAX_KEY_CHARACTERS = 1_024;

/** Last response of an address. It is valid while `ServingIndex` has the same object for the site. */
export type KnownResponse = {
  /** Domain by which the site was found; null for any other address. */
  readonly domain: ServedDomain | null;
  /** Slug by which the site was found; null if the address was a deploy’s ID or a domain. */
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly form: SiteForm;
  readonly answer: FileResponse;
  /** Place that its visits are recorded for. */
  readonly place: VisitedPlace;
  readonly onSent: OnSent | null;
};

/** Remembers responses of addresses that are the same for every visitor. */
@Injectable()
export class ResponseIndex {
  readonly #known = new GenerationalCache<KnownResponse>(
    REMEMBERED,
    (address, { answer }) => address.length + answer.bytes,
  );

  constructor(
    @Inject(ServingIndex) private readonly index: Pick<ServingIndex, 'site' | 'siteById' | 'siteOn' | 'domains'>,
  ) {}

  /** Returns the response of an address if it is still valid; undefined if it has to be looked up. */
  at(host: string | undefined, url: string): KnownResponse | undefined {
    const known = this.#known.get(addressOf(host, url));
    return known && this.stillShows(known) ? known : undefined;
  }

  /** Remembers the response of an address. It must be the same for every visitor, whatever the request contains. */
  keep(host: string | undefined, url: string, known: KnownResponse) {
    const address = addressOf(host, url);
    if (!url.startsWith('/') || address.length > MAX_KEY_CHARACTERS) return;
    this.#known.set(apart(address), known);
    known.answer.onGrowth = (bytes) => this.#known.grow(bytes);
  }

  /** Whether an address still leads to the same object of the site by the same slug and domain. */
  stillShows({ domain, slug, site }: Pick<KnownResponse, 'domain' | 'slug' | 'site'>): boolean {
    return this.#siteAt(domain, slug, site) === site && (site.expiresAt === null || site.expiresAt > Date.now());
  }

  #siteAt(domain: ServedDomain | null, slug: string | null, { siteId }: ServedSite): ServedSite | undefined {
    if (slug !== null) return this.index.site(slug);
    if (domain === null) return this.index.siteById(siteId);
    // The headers and the redirect target depend on the settings of the domain.
    const { domains } = this.index;
    const stands = domains.at(domain.hostname) === domain && domains.redirectOf(domain) === null;
    return stands ? this.index.siteOn(domain.hostname) : undefined;
  }
}

/** Addresses contain no spaces, so different requests never have the same key. */
const addressOf = (host: string | undefined, url: string) => `${host} ${url}`;
