import { type SiteEvent, SiteRolledBack } from '../../../events/site/site.events.js';
import { type CommandContext, expectRevision } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayEdit } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type Rollback = {
  readonly context: CommandContext;
  readonly deployId: string;
  /** A request that comes again, after an answer that was lost, has the id it had. */
  readonly rollbackId: string;
  readonly ifRevision: number | null;
};

/** Points the site at one of its deploys. Asking for the one that is already live changes nothing. */
export function decideRollback(
  site: Site,
  { context, deployId, rollbackId, ifRevision }: Rollback,
  revision: number,
): SiteEvent[] {
  const { live, deploys, rollbacks } = mayEdit(site, context);
  if (rollbacks.some((each) => each.rollbackId === rollbackId)) return [];
  expectRevision(ifRevision, revision, { path: 'deployId', message: live?.deployId ?? 'none' });

  const target = deploys.find((deploy) => deploy.deployId === deployId);
  if (!target) return refuse('deploy_not_found', 'This site has no such deploy.');
  if (!live || live.deployId === deployId) return [];

  const { manifest, program } = target;
  return [SiteRolledBack({ deployId, manifest, program, replaced: live.deployId, rollbackId })];
}
