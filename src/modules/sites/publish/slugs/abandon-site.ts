import { jobStream } from '../../../../events/job.events.js';
import { siteStream } from '../../../../events/site/site.events.js';
import type { EventStore, Head } from '../../../../kernel/event-store.js';
import type { Transactions } from '../../../../kernel/transactions.js';
import { SiteCommand } from '../../site/site-command.js';
import type { Site } from '../../site/state/site.state.js';
import { decideAbandonSite, lastHope } from './abandon-site.decide.js';
import { lastJob } from './last-job.state.js';

/** Deletes a site that never had a deploy, so that another site can use its slug. */
export class AbandonSite extends SiteCommand(decideAbandonSite) {}

/**
 * If a job is still recorded only in its site's stream after this time, the process exited before it could queue the
 * job. The job never starts.
 */
const NEVER_QUEUED_MS = 10 * 60_000;

/**
 * Returns the ID of the job that ended without a deploy if that frees the site's slug, otherwise null. Reads the log.
 */
export async function endedWithoutDeploy(
  transactions: Transactions,
  store: EventStore,
  { siteId, state, head }: { readonly siteId: string; readonly state: Site; readonly head: Head },
  at: string,
): Promise<string | null> {
  const jobId = lastHope(state);
  if (jobId === null) return null;
  const { state: job } = await transactions.state(jobStream(jobId), lastJob);
  if (job !== 'unknown') return job === 'without_deploy' ? jobId : null;
  const [last] = await store.page(siteStream(siteId), head.revision - 1, 1);
  return last && Date.parse(at) - Date.parse(last.at) >= NEVER_QUEUED_MS ? jobId : null;
}
