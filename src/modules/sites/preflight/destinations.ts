import { Inject, Injectable } from '@nestjs/common';
import type { Given } from '../../../kernel/command-context.js';
import { isTheirs, mayEdit } from '../site/may-edit.decide.js';
import { SiteDirectory } from '../site/site-directory.js';
import { faultOfSlug } from '../slugs/slug-name.js';
import { type Problem, problem, refusalOf } from './problems.js';

export type Destination = {
  /** The site that would be redeployed; null for a new one, and for one that the caller may not edit. */
  readonly siteId: string | null;
  readonly problems: readonly Problem[];
};

/** Where a deploy with a slug would go, without going there. */
@Injectable()
export class Destinations {
  constructor(@Inject(SiteDirectory) private readonly directory: SiteDirectory) {}

  async of(slug: string | undefined, given: Given): Promise<Destination> {
    if (slug === undefined) return elsewhere();
    const message = faultOfSlug(slug);
    if (message !== null) return elsewhere({ code: 'invalid_slug', message });

    const found = await this.directory.find(slug, given.at);
    if (!found) return elsewhere();
    const refusal = refusalOf(() => mayEdit(found.state, given));
    if (!refusal) return { siteId: found.siteId, problems: [] };
    // Who holds the site is told what became of it. To strangers a taken name is taken.
    return elsewhere(isTheirs(found.state, given.caller) ? problem(refusal) : taken(slug));
  }
}

const elsewhere = (...problems: readonly Problem[]): Destination => ({ siteId: null, problems });

const taken = (slug: string): Problem => ({ code: 'slug_taken', message: `Another site is called “${slug}”.` });
