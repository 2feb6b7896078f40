import { SiteDeployed, type SiteEvent } from '../../../events/site/site.events.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { type DeployContent, renewExpiry } from '../deploy/publish.decide.js';
import { assertExists } from '../site/assert-access.decide.js';
import type { Site } from '../site/site.state.js';

export type PublishJob = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly content: DeployContent;
  /** When a site expires whose expiry is set anew now; RFC 3339. Null if the operator sets none. */
  readonly renewedExpiry: string | null;
};

/** What a job has made goes live, once. Whether the caller may deploy was decided when the job was queued. */
export function decidePublishJob(site: Site, { context, content, renewedExpiry }: PublishJob): SiteEvent[] {
  if (site.status === 'live' && site.deploys.some(({ deployId }) => deployId === content.deployId)) return [];
  const found = assertExists(site, context.at);
  const { live, deploys } = found;
  return [
    SiteDeployed({ ...content, number: deploys.length + 1, replaced: live?.deployId ?? null }),
    ...renewExpiry(found, renewedExpiry),
  ];
}
