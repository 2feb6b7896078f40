import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { faultText } from '../../../../kernel/faults/schema-faults.js';
import { assertCanEdit, isInvolved } from '../../site/assert-access.decide.js';
import { assertCanCreateSite } from '../../site/assert-can-create-site.js';
import { type FoundSite, SiteDirectory } from '../../site/site-directory.js';
import { faultOfSlug } from '../slugs/slug-name.js';
import { type PreflightProblem, problem, refusalOf } from './problems.js';

export type UploadDestination = {
  /** The site that would be redeployed; null for a new one, and for one that the caller may not edit. */
  readonly site: FoundSite | null;
  readonly problems: readonly PreflightProblem[];
};

/** Finds the destination of a deploy with a slug, without deploying. */
@Injectable()
export class Destinations {
  constructor(@Inject(SiteDirectory) private readonly directory: SiteDirectory) {}

  /** Refuses with `unauthenticated` as a deploy does: an edit token without a slug, or with one that is free. */
  async of(slug: string | undefined, context: CommandContext): Promise<UploadDestination> {
    if (slug === undefined) return aNewSite(context);
    const message = faultOfSlug(slug);
    if (message !== null) return elsewhere({ code: 'invalid_slug', message: faultText({ path: 'slug', message }) });

    const found = await this.directory.find(slug, context.at);
    if (!found) return aNewSite(context);
    const refusal = refusalOf(() => assertCanEdit(found.state, context));
    if (!refusal) return { site: found, problems: [] };
    const isTaken = !isInvolved(found.state, context.caller);
    if (isTaken && (await this.directory.givesSlugBack(found, context.at))) return aNewSite(context);
    // Only people with access to the site learn what happened to it. For strangers, its slug is simply taken.
    return elsewhere(isTaken ? taken(slug) : problem(refusal));
  }
}

function aNewSite({ caller }: CommandContext): UploadDestination {
  assertCanCreateSite(caller);
  return elsewhere();
}

const elsewhere = (...problems: readonly PreflightProblem[]): UploadDestination => ({ site: null, problems });

const taken = (slug: string): PreflightProblem => ({
  code: 'slug_taken',
  message: `Another site is called “${slug}”.`,
});
