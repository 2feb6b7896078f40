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
import { site } from '../../site/site.state.js';
import { decideRollback } from './rollback.decide.js';

const story = [created, deployed(1), deployed(2, 'dep_1')];
/** The id that a rollback from one of these deploys has in `rolledBack`. */
const from = (replaced: number, to = 1) => `rbk_${to}_${replaced}`;
const to = (deployId: string, { caller = ann, ifRevision = null as number | null, rollbackId = from(2) } = {}) => ({
  context: by(caller as Caller),
  to: deployId === 'previous' ? ('previous' as const) : { deployId },
  rollbackId,
  ifRevision,
});

describe('Rollback', () => {
  it('points the site at the earlier deploy and remembers what it replaced', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1'))
      .records(rolledBack(1, 2)));

  it('finds a deploy by its number', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 1 } })
      .records(rolledBack(1, 2)));

  it('refuses a number that no deploy has', () =>
    given(site, ...story)
      .when(decideRollback, { ...to('dep_1'), to: { number: 3 } })
      .refuses('deploy_not_found'));

  it('goes back by one that was published, past one that was only stored', () =>
    given(site, created, deployed(1), staged(2), deployed(3, 'dep_1'))
      .when(decideRollback, to('previous', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('refuses to go back from the first', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('previous', { rollbackId: from(1, 2) }))
      .refuses('deploy_not_found'));

  it('says of a program that it is one', () =>
    given(site, created, server(1), deployed(2, 'dep_1'))
      .when(decideRollback, to('dep_1'))
      .records(SiteRolledBack({ ...rolledBack(1, 2).data, program: { kind: 'next' } })));

  it('can be undone by rolling forward', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_2', { rollbackId: from(1, 2) }))
      .records(rolledBack(2, 1)));

  it('says nothing when that deploy is already live', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2'))
      .recordsNothing());

  it('says nothing the second time', () =>
    given(site, ...story, rolledBack(1, 2))
      .when(decideRollback, to('dep_1', { rollbackId: 'rbk_another' }))
      .recordsNothing());

  it('is done once, though it comes again when somebody else has published since', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .recordsNothing());

  it('is done again when it is asked for again', () =>
    given(site, ...story, rolledBack(1, 2), deployed(3, 'dep_1'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it('replaces what a faster deploy has just made live', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { rollbackId: from(3) }))
      .records(rolledBack(1, 3)));

  it.each<[string, Caller, RefusalCode]>([
    ['a stranger', stranger, 'edit_token_invalid'],
    ['somebody who does not say who they are', nobody, 'unauthenticated'],
  ])('refuses %s', (_, caller, code) =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller }))
      .refuses(code),
  );

  it('refuses a deploy that this site never had', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9'))
      .refuses('deploy_not_found'));

  it('tells a stranger nothing about which deploys there are', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { caller: stranger }))
      .refuses('edit_token_invalid'));

  it('refuses a site that never came to be', () =>
    given(site).when(decideRollback, to('dep_1')).refuses('site_not_found'));
});

describe('Rollback with If-Match', () => {
  it('goes on when the site stands where the caller saw it', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .records(rolledBack(1, 2)));

  it('refuses when somebody was faster, and tells the revision and the deploy that are live now', () =>
    given(site, ...story, deployed(3, 'dep_2'))
      .when(decideRollback, to('dep_1', { ifRevision: 3 }))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '4' },
          { path: 'deployId', message: 'dep_3' },
        ],
      }));

  it('refuses a stale revision even when there would be nothing to do', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_2', { ifRevision: 2 }))
      .refuses('revision_mismatch'));

  it('refuses a stranger before it looks at the revision', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_1', { caller: stranger, ifRevision: 1 }))
      .refuses('edit_token_invalid'));

  it('looks at the revision before it looks for the deploy', () =>
    given(site, ...story)
      .when(decideRollback, to('dep_9', { ifRevision: 1 }))
      .refuses('revision_mismatch'));
});
