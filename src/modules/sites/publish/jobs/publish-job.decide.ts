import { SiteDeployed, type SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { type JobRight, RightEndedError } from '../../../../kernel/rights/job-right.js';
import { assertExists } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';
import { type DeployContent, renewExpiry } from '../deploy/publish.decide.js';
import { isSiteToken, isTrusted, whyRightEnded } from './job-right.rule.js';

export type PublishJob = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly content: Omit<DeployContent, 'trusted'>;
  readonly right: JobRight;
  /**
   * Whether the job was started with an access token of this site. The site's stream records when one of these tokens
   * is revoked.
   */
  readonly isByTokenOfSite: boolean;
  /** New expiry (RFC 3339) of a site with a renewable expiry, or null if the operator sets no default. */
  readonly renewedExpiry: string | null;
};

/** Makes a job's result live. Idempotent. Throws `RightEndedError` if the right that started the job has ended. */
export function decidePublishJob(
  site: Site,
  { context, content, right, isByTokenOfSite, renewedExpiry }: PublishJob,
): SiteEvent[] {
  if (site.status === 'live' && site.deploys.some(({ deployId }) => deployId === content.deployId)) return [];
  const end = whyRightEnded(site, right) ?? (isByTokenOfSite && !isSiteToken(site, right) ? 'token_revoked' : null);
  if (end !== null) throw new RightEndedError(end);
  const found = assertExists(site, context.at);
  const { live, deploys } = found;
  return [
    SiteDeployed({
      ...content,
      number: deploys.length + 1,
      replaced: live?.deployId ?? null,
      trusted: isTrusted(found, right),
    }),
    ...renewExpiry(found, renewedExpiry),
  ];
}
