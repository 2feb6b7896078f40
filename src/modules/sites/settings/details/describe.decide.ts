import { SiteDescribed } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertIsOwner } from '../../site/assert-access.rule.js';
import { assertUnchanged } from '../../site/assert-unchanged.rule.js';
import type { Site } from '../../site/state/site.state.js';

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
export function decideDescribe(site: Site, { context, details, ifRevision }: Describe, revision: number): SiteEvent[] {
  const live = assertIsOwner(site, context);
  assertUnchanged(live, 'presentation', { ifRevision, revision });
  const { title = live.title, description = live.description, robots = live.robots } = details;
  if (title === live.title && description === live.description && robots === live.robots) return [];
  return [SiteDescribed({ title, description, robots })];
}
