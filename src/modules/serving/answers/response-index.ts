import { Inject, Injectable } from '@nestjs/common';
import type { OnSent } from '../../../edge/http/server/first-handler.js';
import type { VisitedPlace } from '../../traffic/api/served-request.js';
import { apart } from '../content/apart.js';
import { GenerationalCache } from '../content/generational-cache.js';
import type { ServedDomain } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';
import type { FileAnswer } from './file-answer.js';
import type { SiteForm } from './site-headers.js';

/** What is remembered weighs up to twice this, in bytes: some thirty thousand addresses of sites that choose few headers. */
const REMEMBERED = 32 * 1_024 * 1_024;
/** The longest address that is remembered, in characters. */
const LONGEST = 1_024;

/** What an address showed last. It still does while `ServingIndex` has the same object for the site. */
export type KnownResponse = {
  /** The domain by which the site was found; null where another address was given. */
  readonly domain: ServedDomain | null;
  /** The name by which the site was found; null where a deploy’s id or a domain was the address. */
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly form: SiteForm;
  readonly answer: FileAnswer;
  /** Where its visits are recorded. */
  readonly place: VisitedPlace;
  readonly onSent: OnSent | null;
};

/** The answers of addresses where every visitor gets the same. */
@Injectable()
export class ResponseIndex {
  readonly #known = new GenerationalCache<KnownResponse>(
    REMEMBERED,
    (address, { answer }) => address.length + answer.bytes,
  );

  constructor(
    @Inject(ServingIndex) private readonly index: Pick<ServingIndex, 'site' | 'siteById' | 'siteOn' | 'domains'>,
  ) {}

  /** What the address still shows; undefined when that has to be found out. */
  at(host: string | undefined, url: string): KnownResponse | undefined {
    const known = this.#known.get(addressOf(host, url));
    return known && this.stillShows(known) ? known : undefined;
  }

  /** Remembers what an address shows. The answer must be the same for every visitor, whatever the request says. */
  keep(host: string | undefined, url: string, known: KnownResponse) {
    const address = addressOf(host, url);
    if (!url.startsWith('/') || address.length > LONGEST) return;
    this.#known.set(apart(address), known);
    known.answer.onGrowth = (bytes) => this.#known.grow(bytes);
  }

  /** Whether an address shows what it did when this was found there. */
  stillShows({ domain, slug, site }: Pick<KnownResponse, 'domain' | 'slug' | 'site'>): boolean {
    return this.#siteAt(domain, slug, site) === site && (site.expiresAt === null || site.expiresAt > Date.now());
  }

  #siteAt(domain: ServedDomain | null, slug: string | null, { siteId }: ServedSite): ServedSite | undefined {
    if (slug !== null) return this.index.site(slug);
    if (domain === null) return this.index.siteById(siteId);
    // What it tells browsers, and where it sends them on to, is of the domain.
    const { domains } = this.index;
    const stands = domains.at(domain.hostname) === domain && domains.redirectOf(domain) === null;
    return stands ? this.index.siteOn(domain.hostname) : undefined;
  }
}

/** No address has a blank in it, so that no two requests for different things have the same. */
const addressOf = (host: string | undefined, url: string) => `${host} ${url}`;
