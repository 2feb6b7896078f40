import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import {
  ann,
  by,
  created,
  deployed,
  digestOf,
  later,
  nobody,
  noon,
  rolledBack,
  staged,
  stranger,
} from '../../../../../test/support/events/site-examples.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import {
  SiteCreated,
  SiteExpired,
  SiteExpirySet,
  SiteRestored,
  SiteTakenDown,
} from '../../../../events/site/site.events.js';
import { site } from '../../site/site.state.js';
import { type DeployContent, decideCreate, decideRedeploy } from './publish.decide.js';

/** The content that `deployed(number)` publishes. */
const content = (number: number): DeployContent => ({
  deployId: `dep_${number}`,
  manifest: digestOf(`${number}`),
  files: number,
  bytes: number * 100,
  source: 'upload',
  jobId: null,
  commit: null,
  provenance: null,
  trusted: null,
  program: null,
  message: null,
});

const expires = (expiresAt: string, renews = false) => SiteExpirySet({ expiresAt, renews });

describe('The first deploy', () => {
  const create = {
    slug: 'amber-otter',
    editTokenHash: digestOf('a'),
    owner: null,
    content: content(1),
    expiry: null,
  };

  it('brings the site into being and publishes it at once', () =>
    given(site).when(decideCreate, create).records(created, deployed(1)));

  it('refuses an id that is already a site’s', () =>
    given(site, created, deployed(9)).when(decideCreate, create).refuses('conflict'));

  it('says nothing when this very deploy has made the site already', () =>
    given(site, created, deployed(1), deployed(2)).when(decideCreate, create).recordsNothing());

  it('may be for a time only', () =>
    given(site)
      .when(decideCreate, { ...create, expiry: { expiresAt: later, renews: false } })
      .records(created, deployed(1), expires(later)));

  it('of somebody signed in makes them its owner', () => {
    const owner = { memberId: 'mem_bob', userId: 'usr_bob' };
    given(site)
      .when(decideCreate, { ...create, editTokenHash: null, owner })
      .records(
        SiteCreated({ slug: 'amber-otter', editTokenHash: null }),
        MemberAdded({ ...owner, role: 'owner', inviteId: null }),
        deployed(1),
      );
  });

  it('leaves a site that its token may edit', () => {
    const live = {
      deployId: 'dep_1',
      manifest: digestOf('1'),
      program: null,
      replaced: null,
      commit: null,
      trusted: null,
    };
    const made = stateAfter(site, [created]);
    expect(stateAfter(site, [created, deployed(1)])).toEqual({
      ...made,
      live,
      deploys: [live],
      isUntouched: false,
      lastChanges: { content: 2, access: 1, presentation: 1 },
    });
    expect(made).toMatchObject({ status: 'live', slug: 'amber-otter', editTokenHash: digestOf('a'), members: {} });
  });
});

describe('A redeploy', () => {
  const story = [created, deployed(1)];
  const redeploy = (number: number, caller = ann, ifRevision: number | null = null) => ({
    context: by(caller),
    content: content(number),
    ifRevision,
    over: null,
    publish: true,
    renewedExpiry: null,
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

  it('says nothing when it was recorded before: the answer was lost, not the deploy', () =>
    given(site, ...story, deployed(2, 'dep_1'), deployed(3, 'dep_2'))
      .when(decideRedeploy, redeploy(2, ann, 2))
      .recordsNothing());

  it('stores a deploy beside the live one when it is not to be shown', () =>
    given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), publish: false })
      .records(staged(2)));

  it('made over the live deploy goes on while that one is live', () =>
    given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), over: 'dep_1' })
      .records(deployed(2, 'dep_1')));

  it('made over a deploy that is no longer live has to be made again', () =>
    given(site, ...story, deployed(2, 'dep_1'))
      .when(decideRedeploy, { ...redeploy(3), over: 'dep_1' })
      .refuses('conflict'));

  it('refuses a site whose time is over, recorded or not', () => {
    for (const gone of [expires(noon), SiteExpired({})]) {
      given(site, ...story, gone)
        .when(decideRedeploy, redeploy(2, nobody))
        .refuses('site_expired');
    }
    given(site, ...story, expires(later))
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1'));
  });

  it('renews an expiry that is the operator’s default, and no other', () => {
    const evening = '2026-11-20T20:00:00.000Z';
    const again = { ...redeploy(2), renewedExpiry: evening };
    given(site, ...story, expires(later, true))
      .when(decideRedeploy, again)
      .records(deployed(2, 'dep_1'), expires(evening, true));
    given(site, ...story, expires(later, true))
      .when(decideRedeploy, { ...again, publish: false })
      .records(staged(2));
    for (const kept of [expires(later), expires('2026-11-21T00:00:00.000Z', true)])
      given(site, ...story, kept)
        .when(decideRedeploy, again)
        .records(deployed(2, 'dep_1'));
    given(site, ...story)
      .when(decideRedeploy, again)
      .records(deployed(2, 'dep_1'));
  });

  it('refuses a site that was taken down, until it is restored', () => {
    const takenDown = SiteTakenDown({ reason: 'phishing' });
    given(site, ...story, takenDown)
      .when(decideRedeploy, redeploy(2))
      .refuses('taken_down');
    given(site, ...story, takenDown, SiteRestored({}))
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1'));
  });

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
