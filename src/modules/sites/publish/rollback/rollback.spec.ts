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
  it('makes the earlier deploy live and records which deploy it replaced', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1'))
      .records(rolledBack(1, 2)));

  it('finds a deploy by its number', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 1 } })
      .records(rolledBack(1, 2)));

  it('is refused if no deploy has that number', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 3 } })
      .refuses('deploy_not_found'));

  it('to the previous deploy skips deploys that were only stored', () =>
    given(site, created, deployed(1), staged(2), deployed(3, 'dep_1'))
      .when(decideRollback, to('previous', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('to the previous deploy is refused if the first deploy is live', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('previous', { rollbackId: from(1, 2) }))
      .refuses('deploy_not_found'));

  it('records whether the deploy runs a server', () =>
    given(site, created, server(1), deployed(2, 'dep_1'))
      .when(decideRollback, to('dep_1'))
      .records(SiteRolledBack({ ...rolledBack(1, 2).data, program: { kind: 'next' } })));

  it('can be undone by another rollback', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_2', { rollbackId: from(1, 2) }))
      .records(rolledBack(2, 1)));

  it('records nothing if the requested deploy is already live', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2'))
      .recordsNothing());

  it('records nothing if the request is repeated', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_1', { rollbackId: 'rbk_another' }))
      .recordsNothing());

  it('is recorded only once, even if its request is repeated after another deploy', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .recordsNothing());

  it('is recorded again for a new request', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('replaces a deploy that was published by a faster request', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it.each<[string, Caller, RefusalCode]>([
    ['a stranger', stranger, 'edit_token_invalid'],
    ['a caller without credentials', nobody, 'unauthenticated'],
  ])('is refused for %s', (_, caller, code) =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller }))
      .refuses(code),
  );

  it('is refused for a deploy that the site never had', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9'))
      .refuses('deploy_not_found'));

  it('does not reveal to a stranger whether a deploy exists', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { caller: stranger }))
      .refuses('edit_token_invalid'));

  it('is refused if the site never existed', () =>
    given(site).when(decideRollback, to('dep_1')).refuses('site_not_found'));
});

describe('A rollback with If-Match', () => {
  it('succeeds if the site is unchanged', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .records(rolledBack(1, 2)));

  it('is refused if the site has changed, and the refusal names the current revision and live deploy', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '4' },
          { path: 'deployId', message: 'dep_3' },
        ],
      }));

  it('is refused if the revision is stale, even if nothing would change', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2', { ifRevision: 2 }))
      .refuses('revision_mismatch'));

  it('is refused for a stranger before the revision is checked', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller: stranger, ifRevision: 1 }))
      .refuses('edit_token_invalid'));

  it('checks the revision before it looks up the deploy', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { ifRevision: 1 }))
      .refuses('revision_mismatch'));
});
