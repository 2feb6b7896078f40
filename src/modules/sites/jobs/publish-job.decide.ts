import { SiteDeployed, type SiteEvent } from '../../../events/site.events.js';
import type { Content } from '../deploy/publish.decide.js';
import { isThere } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type PublishJob = { readonly at: string; readonly content: Content };

/** What a job has made goes live, once: whether it may was decided when it was queued. */
export function decidePublishJob(site: Site, { at, content }: PublishJob): SiteEvent[] {
  if (site.status === 'live' && site.deploys.some(({ deployId }) => deployId === content.deployId)) return [];
  const { live, deploys } = isThere(site, at);
  return [SiteDeployed({ ...content, number: deploys.length + 1, replaced: live?.deployId ?? null })];
}
