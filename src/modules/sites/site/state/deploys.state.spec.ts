import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed, rolledBack, staged } from '../../../../../test/support/events/site-examples.js';
import { type SiteEvent, SiteJobQueued, SiteRestored, SiteRolledBack } from '../../../../events/site/site.events.js';
import { evolveDeploys, noDeploys } from './deploys.state.js';

const folded = (...history: SiteEvent[]) => partAfter(evolveDeploys, noDeploys, ...history);

describe('A site’s deploys', () => {
  it('the live deploy is the one that was last published or rolled back to', () => {
    expect(folded().live).toBeNull();
    expect(folded(deployed(1), deployed(2)).live?.deployId).toBe('dep_2');
    expect(folded(deployed(1), deployed(2), rolledBack(1, 2)).live?.deployId).toBe('dep_1');
    expect(folded(deployed(1), deployed(2), rolledBack(1, 2), deployed(3)).live?.deployId).toBe('dep_3');
  });

  it('deploys that were only stored are included and do not change the live deploy', () => {
    const { live, deploys } = folded(deployed(1), staged(2));
    expect(live?.deployId).toBe('dep_1');
    expect(deploys.map(({ deployId, replaced }) => [deployId, replaced])).toEqual([
      ['dep_1', null],
      ['dep_2', null],
    ]);
  });

  it('rollbacks are remembered by ID, except those recorded without an ID', () => {
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

  it('a rollback to a deploy that the site does not have changes nothing', () =>
    expect(folded(deployed(1), rolledBack(9, 1))).toEqual(folded(deployed(1))));

  it('a site’s state keeps its two newest jobs', () => {
    const source = { url: 'https://example.org/a.git', ref: null, rootDirectory: null, plan: {} };
    const queued = (n: number) => SiteJobQueued({ jobId: `job_${n}`, source, linkId: null, dueAt: null });
    expect(folded(queued(1), queued(2), queued(3)).jobs.map(({ jobId }) => jobId)).toEqual(['job_3', 'job_2']);
  });

  it('other events do not change a site’s deploys', () =>
    expect(evolveDeploys(noDeploys, SiteRestored({}))).toBeNull());
});
