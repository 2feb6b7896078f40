import { Inject, Injectable } from '@nestjs/common';
import { Remembered } from '../content/generational-cache.js';
import { type ServedSite, ServingIndex } from '../sites/serving-index.js';
import type { FileAnswer } from './file-answer.js';
import type { Form } from './site-headers.js';

/** Addresses remembered: twice this, at about a kilobyte each. Longer ones are not. */
const REMEMBERED = 16_384;
const LONGEST = 1_024;

/** What an address showed when it was last asked for: so it still does, as long as the site is the same object. */
export type Known = {
  /** The name by which the site was found; null where a deploy's id was the address. */
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly form: Form;
  readonly answer: FileAnswer;
};

/** The answers to addresses that say it all: every visitor of one gets the same. */
@Injectable()
export class KnownAnswers {
  readonly #known = new Remembered<Known>(REMEMBERED);

  constructor(@Inject(ServingIndex) private readonly index: ServingIndex) {}

  /** What the address still shows; undefined when it has to be looked for. */
  at(host: string | undefined, url: string): Known | undefined {
    const known = this.#known.get(addressOf(host, url));
    return known && this.#stillShows(known) ? known : undefined;
  }

  keep(host: string | undefined, url: string, known: Known) {
    const address = addressOf(host, url);
    if (url.startsWith('/') && address.length <= LONGEST) this.#known.set(address, known);
  }

  #stillShows({ slug, site }: Known): boolean {
    const now = slug === null ? this.index.siteById(site.siteId) : this.index.site(slug);
    return now === site && (site.expiresAt === null || site.expiresAt > Date.now());
  }
}

/** No address has a blank in it, so that no two requests for different things have the same. */
const addressOf = (host: string | undefined, url: string) => `${host} ${url}`;
