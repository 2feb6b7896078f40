import { SiteDescribed } from '../../../../events/site/settings.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertIsOwner } from '../../site/assert-access.rule.js';
import { defineConditionalRule } from '../../site/if-match.rule.js';

export type Describe = {
  readonly context: CommandContext;
  /** Details to change. Missing details stay as they are. */
  readonly details: {
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly robots?: 'index' | 'noindex' | undefined;
  };
  readonly ifRevision: number | null;
};

/** Changes the details of the site. Only owners can do this. Records nothing if no detail changes. */
export const decideDescribe = defineConditionalRule<Describe>(
  'presentation',
  (site, { context, details }, assertUnchanged) => {
    const live = assertIsOwner(site, context);
    assertUnchanged(live);
    const { title = live.title, description = live.description, robots = live.robots } = details;
    if (title === live.title && description === live.description && robots === live.robots) return [];
    return [SiteDescribed({ title, description, robots })];
  },
);
