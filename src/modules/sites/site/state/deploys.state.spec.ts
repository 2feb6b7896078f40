import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed, rolledBack, staged } from '../../../../../test/support/events/site-examples.js';
import { type SiteEvent, SiteJobQueued, SiteRestored, SiteRolledBack } from '../../../../events/site/site.events.js';
import { evolveDeploys, noDeploys } from './deploys.state.js';

const folded = (...history: SiteEvent[]) => partAfter(evolveDeploys, noDeploys, ...history);

describe('A site’s deploys', () => {
  it('show the deploy that was last published or rolled back to as live', () => {
    expect(folded().live).toBeNull();
    expect(folded(deployed(1), deployed(2)).live?.deployId).toBe('dep_2');
    expect(folded(deployed(1), deployed(2), rolledBack(1, 2)).live?.deployId).toBe('dep_1');
    expect(folded(deployed(1), deployed(2), rolledBack(1, 2), deployed(3)).live?.deployId).toBe('dep_3');
  });

  it('include deploys that were only stored, which do not change the live deploy', () => {
    const { live, deploys } = folded(deployed(1), staged(2));
    expect(live?.deployId).toBe('dep_1');
    expect(deploys.map(({ deployId, replaced }) => [deployId, replaced])).toEqual([
      ['dep_1', null],
      ['dep_2', null],
    ]);
  });

  it('remember rollbacks by ID, except those recorded without an ID', () => {
    const { rollbackId, ...old } = rolledBack(1, 2).data;
    const { rollbacks } = folded(
      deployed(1),
      deployed(2),
      rolledBack(1, 2),
      rolledBack(2, 1),
      SiteRolledBack({ ...old, rollbackId: null }),
    );
    expect(rollbacks).toEqual([
      { rollbackId, deployId: 'dep_1', replaced: 'dep_2' },
      { rollbackId: 'rbk_2_1', deployId: 'dep_2', replaced: 'dep_1' },
    ]);
  });

  it('are not changed by a rollback to a deploy that the site does not have', () =>
    expect(folded(deployed(1), rolledBack(9, 1))).toEqual(folded(deployed(1))));

  it('keep the two newest jobs', () => {
    const source = { url: 'https://example.org/a.git', ref: null, rootDirectory: null, plan: {} };
    const queued = (n: number) => SiteJobQueued({ jobId: `job_${n}`, source, linkId: null, dueAt: null });
    expect(folded(queued(1), queued(2), queued(3)).jobs.map(({ jobId }) => jobId)).toEqual(['job_3', 'job_2']);
  });

  it('are not changed by other events', () => expect(evolveDeploys(noDeploys, SiteRestored({}))).toBeNull());
});
