import { SiteRolledBack } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit } from '../../site/assert-access.rule.js';
import { defineConditionalRule } from '../../site/if-match.rule.js';
import { receivesSecrets } from '../../site/receives-secrets.rule.js';
import { type KnownDeploy } from '../../site/state/deploys.state.js';

/** The deploy to make live again: given by its ID, by its number, or as the deploy before the live one. */
export type RollbackTarget = { readonly deployId: string } | { readonly number: number } | 'previous';

export type Rollback = {
  readonly context: CommandContext;
  readonly to: RollbackTarget;
  /** ID of the rollback. A retry after a lost response has the same ID. */
  readonly rollbackId: string;
  readonly ifRevision: number | null;
};

/** Makes an earlier deploy of the site live. Changes nothing if it is already live. */
export const decideRollback = defineConditionalRule<Rollback>(
  'content',
  (site, { context, to, rollbackId }, assertUnchanged) => {
    const found = assertCanEdit(site, context);
    const { live, deploys, rollbacks } = found;
    if (rollbacks.some((each) => each.rollbackId === rollbackId)) return [];
    assertUnchanged(found);

    const target = deployAt(to, deploys, live);
    if (!target) return refuse('deploy_not_found', `This site has no ${described(to)}.`);
    const { deployId, manifest, program } = target;
    if (!live || live.deployId === deployId) return [];

    const number = deploys.indexOf(target) + 1;
    const trusted = receivesSecrets(found, deployId) ?? false;
    return [SiteRolledBack({ deployId, number, manifest, program, replaced: live.deployId, rollbackId, trusted })];
  },
);

const described = (to: RollbackTarget) => {
  if (to === 'previous') return 'earlier deploy';
  return 'number' in to ? `deploy number ${to.number}` : `deploy ${quoteId(to.deployId)}`;
};

function deployAt(to: RollbackTarget, deploys: readonly KnownDeploy[], live: KnownDeploy | null) {
  if (to !== 'previous')
    return 'number' in to ? deploys[to.number - 1] : deploys.find(({ deployId }) => deployId === to.deployId);
  const earlier = live
    ? deploys.slice(
        0,
        deploys.findIndex(({ deployId }) => deployId === live.deployId),
      )
    : [];
  // Skip deploys that were stored but never published. For these, `replaced` is null, as it is for the first deploy.
  return earlier.findLast(({ replaced }, n) => n === 0 || replaced !== null);
}
