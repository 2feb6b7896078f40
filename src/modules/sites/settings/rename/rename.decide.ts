import { SiteRenamed } from '../../../../events/site/settings.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { defineConditionalRule } from '../../site/if-match.rule.js';

/**
 * Maximum number of slugs per site, including the current one: enough to rename often, too few to deprive others of
 * many names.
 */
export const MAX_RENAMES = 50;

export type Rename = {
  readonly context: CommandContext;
  readonly slug: string;
  readonly ifRevision: number | null;
};

/**
 * Renames the site to a slug that is already held for it. The site keeps its former slugs. Renaming to the current slug
 * changes nothing.
 */
export const decideRename = defineConditionalRule<Rename>(
  'presentation',
  (site, { context, slug }, assertUnchanged) => {
    const found = assertCanManage(site, context);
    const { slug: before, formerSlugs } = found;
    assertUnchanged(found);
    if (slug === before) return [];
    if (!formerSlugs.includes(slug) && formerSlugs.length + 1 >= MAX_RENAMES)
      return refuse(
        'quota_exceeded',
        `A site can have at most ${MAX_RENAMES} slugs, including its former ones. Choose one of its former slugs.`,
      );
    return [SiteRenamed({ slug, before })];
  },
);
