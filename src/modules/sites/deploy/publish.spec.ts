import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../test/support/given.js';
import {
  ann,
  by,
  created,
  deployed,
  digestOf,
  nobody,
  rolledBack,
  stranger,
} from '../../../../test/support/stories.js';
import { SiteCreated } from '../../../events/site.events.js';
import { site } from '../site.state.js';
import { type Content, decideCreate, decideRedeploy } from './publish.decide.js';

/** The content that `deployed(number)` publishes. */
const content = (number: number): Content => ({
  deployId: `dep_${number}`,
  manifest: digestOf(`${number}`),
  files: number,
  bytes: number * 100,
  source: 'upload',
});

describe('The first deploy', () => {
  const create = { ...by(nobody), slug: 'amber-otter', editTokenHash: digestOf('a'), content: content(1) };

  it('brings the site into being and publishes it at once', () =>
    given(site).when(decideCreate, create).records(created, deployed(1)));

  it('refuses an id that is already a site’s', () =>
    given(site, created, deployed(1)).when(decideCreate, create).refuses('conflict'));

  it('leaves a site that its token may edit', () => {
    const state = stateAfter(site, [created, deployed(1)]);
    expect(state).toEqual({
      status: 'live',
      slug: 'amber-otter',
      editTokenHash: digestOf('a'),
      live: { deployId: 'dep_1', manifest: digestOf('1') },
      deploys: [{ deployId: 'dep_1', manifest: digestOf('1') }],
    });
  });
});

describe('A redeploy', () => {
  const story = [created, deployed(1)];
  const redeploy = (number: number, caller = ann, ifRevision: number | null = null) => ({
    ...by(caller),
    content: content(number),
    ifRevision,
  });

  it('makes the new content live and remembers what it replaced', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1')));

  it('is numbered after all deploys there were, also after a rollback', () =>
    given(site, ...story, deployed(2, 'dep_1'), rolledBack(1, 2))
      .when(decideRedeploy, redeploy(3))
      .records(deployed(3, 'dep_1')));

  it('is recorded even when the content equals what is live: somebody did it', () => {
    const same = { ...content(2), manifest: digestOf('1') };
    const event = deployed(2, 'dep_1');
    return given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), content: same })
      .records({ ...event, data: { ...event.data, manifest: digestOf('1') } });
  });

  it('replaces what a faster deploy has just made live, under the next number', () => {
    const event = deployed(2, 'dep_x');
    const faster = deployed(2, 'dep_1');
    return given(site, ...story, { ...faster, data: { ...faster.data, deployId: 'dep_x' } })
      .when(decideRedeploy, redeploy(2))
      .records({ ...event, data: { ...event.data, number: 3 } });
  });

  it('is the first of a site that has none', () =>
    given(site, created).when(decideRedeploy, redeploy(1)).records(deployed(1)));

  it('refuses a stranger', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, stranger))
      .refuses('edit_token_invalid'));

  it('refuses somebody who does not say who they are', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, nobody))
      .refuses('unauthenticated'));

  it('refuses the edit token of a site that belongs to somebody', () =>
    given(site, SiteCreated({ slug: 'amber-otter', editTokenHash: null }), deployed(1))
      .when(decideRedeploy, redeploy(2))
      .refuses('edit_token_invalid'));

  it('refuses a site that never came to be', () =>
    given(site).when(decideRedeploy, redeploy(1)).refuses('site_not_found'));

  it('goes on with If-Match when the site stands where the caller saw it', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, ann, 2))
      .records(deployed(2, 'dep_1')));

  it('refuses with If-Match when somebody was faster, and tells the revision and the deploy that are live now', () =>
    given(site, ...story, deployed(2, 'dep_1'))
      .when(decideRedeploy, redeploy(3, ann, 2))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '3' },
          { path: 'deployId', message: 'dep_2' },
        ],
      }));

  it('names no deploy in that refusal when none is live', () =>
    given(site, created)
      .when(decideRedeploy, redeploy(1, ann, 7))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '1' },
          { path: 'deployId', message: 'none' },
        ],
      }));
});
