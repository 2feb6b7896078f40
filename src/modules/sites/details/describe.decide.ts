import { SiteDescribed } from '../../../events/settings.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { expectRevision, type Given } from '../../../kernel/command-context.js';
import { mayOwn } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type DescribeSite = Given & {
  /** What is to change; the rest stays. */
  readonly details: {
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly robots?: 'index' | 'noindex' | undefined;
  };
  readonly ifRevision: number | null;
};

/** What the site says of itself is its owners’ to say. What it says already is no news. */
export function decideDescribe(site: Site, command: DescribeSite, revision: number): SiteEvent[] {
  const live = mayOwn(site, command);
  const { details, ifRevision } = command;
  expectRevision(ifRevision, revision, { path: 'deployId', message: live.live?.deployId ?? 'none' });
  const { title = live.title, description = live.description, robots = live.robots } = details;
  if (title === live.title && description === live.description && robots === live.robots) return [];
  return [SiteDescribed({ title, description, robots })];
}
