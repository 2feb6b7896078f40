import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import {
  ann,
  by,
  created,
  deployed,
  nobody,
  rolledBack,
  server,
  staged,
  stranger,
} from '../../../../../test/support/events/site-examples.js';
import { SiteRolledBack } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { decideRollback } from './rollback.decide.js';

const story = [created, deployed(1), deployed(2, 'dep_1')];
/** Returns the ID of a rollback to deploy `to` while deploy `replaced` is live. */
const from = (replaced: number, to = 1) => `rbk_${to}_${replaced}`;
const to = (deployId: string, { caller = ann, ifRevision = null as number | null, rollbackId = from(2) } = {}) => ({
  context: by(caller as Caller),
  to: deployId === 'previous' ? ('previous' as const) : { deployId },
  rollbackId,
  ifRevision,
});

describe('A rollback', () => {
  it('a rollback makes the earlier deploy live and records which deploy it replaced', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1'))
      .records(rolledBack(1, 2)));

  it('a rollback finds a deploy by its number', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 1 } })
      .records(rolledBack(1, 2)));

  it('a rollback is refused if no deploy has the given number', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 3 } })
      .refuses('deploy_not_found'));

  it('a rollback to the previous deploy skips deploys that were only stored', () =>
    given(site, created, deployed(1), staged(2), deployed(3, 'dep_1'))
      .when(decideRollback, to('previous', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('a rollback to the previous deploy is refused if the first deploy is live', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('previous', { rollbackId: from(1, 2) }))
      .refuses('deploy_not_found'));

  it('a rollback records whether the deploy runs a server', () =>
    given(site, created, server(1), deployed(2, 'dep_1'))
      .when(decideRollback, to('dep_1'))
      .records(SiteRolledBack({ ...rolledBack(1, 2).data, program: { kind: 'next' } })));

  it('a rollback can be undone by another rollback', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_2', { rollbackId: from(1, 2) }))
      .records(rolledBack(2, 1)));

  it('a rollback to the deploy that is already live records nothing', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2'))
      .recordsNothing());

  it('repeating the request for a rollback records nothing', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_1', { rollbackId: 'rbk_another' }))
      .recordsNothing());

  it('a rollback is recorded only once, even if its request is repeated after another deploy', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .recordsNothing());

  it('a rollback is recorded again for a new request', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('a rollback replaces a deploy that was published by a faster request', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it.each<[string, Caller, RefusalCode]>([
    ['a stranger', stranger, 'edit_token_invalid'],
    ['a caller without credentials', nobody, 'unauthenticated'],
  ])('a rollback is refused for %s', (_, caller, code) =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller }))
      .refuses(code),
  );

  it('a rollback is refused for a deploy that the site never had', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9'))
      .refuses('deploy_not_found'));

  it('a rollback does not reveal to a stranger whether a deploy exists', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { caller: stranger }))
      .refuses('edit_token_invalid'));

  it('a rollback is refused if the site never existed', () =>
    given(site).when(decideRollback, to('dep_1')).refuses('site_not_found'));
});

describe('A rollback with If-Match', () => {
  it('a rollback with If-Match succeeds if the site is unchanged', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .records(rolledBack(1, 2)));

  it('a rollback with a stale If-Match is refused with the current revision and the ID of the live deploy', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '4' },
          { path: 'deployId', message: 'dep_3' },
        ],
      }));

  it('a rollback with a stale revision is refused, even if nothing would change', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2', { ifRevision: 2 }))
      .refuses('revision_mismatch'));

  it('a rollback is refused for a stranger before the revision is checked', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller: stranger, ifRevision: 1 }))
      .refuses('edit_token_invalid'));

  it('a rollback checks the revision before it looks up the deploy', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { ifRevision: 1 }))
      .refuses('revision_mismatch'));
});
