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
import { site } from '../../site/state/site.state.js';
import { type DeployContent, decideCreate, decideRedeploy } from './publish.decide.js';

/** Content of the deploy that the event `deployed(number)` records. */
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
  client: null,
  program: null,
  message: null,
});

const expires = (expiresAt: string, renews = false) => SiteExpirySet({ expiresAt, renews });

describe('The first deploy of a site', () => {
  const create = {
    slug: 'amber-otter',
    editTokenHash: digestOf('a'),
    owner: null,
    content: content(1),
    expiry: null,
  };

  it('the first deploy creates the site and becomes live', () =>
    given(site).when(decideCreate, create).records(created, deployed(1)));

  it('the first deploy is refused if the site ID is already in use', () =>
    given(site, created, deployed(9)).when(decideCreate, create).refuses('conflict'));

  it('records nothing if the site already has this deploy', () =>
    given(site, created, deployed(1), deployed(2)).when(decideCreate, create).recordsNothing());

  it('the first deploy can set an expiry for the site', () =>
    given(site)
      .when(decideCreate, { ...create, expiry: { expiresAt: later, renews: false } })
      .records(created, deployed(1), expires(later)));

  it('the first deploy makes a signed-in caller the owner of the site', () => {
    const owner = { memberId: 'mem_bob', userId: 'usr_bob' };
    given(site)
      .when(decideCreate, { ...create, editTokenHash: null, owner })
      .records(
        SiteCreated({ slug: 'amber-otter', editTokenHash: null }),
        MemberAdded({ ...owner, role: 'owner', inviteId: null }),
        deployed(1),
      );
  });

  it('the first deploy creates a site that can be edited with its edit token', () => {
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

  it('a redeploy makes the new content live and records which deploy it replaced', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1')));

  it('a redeploy gets the number after the highest number so far, even after a rollback', () =>
    given(site, ...story, deployed(2, 'dep_1'), rolledBack(1, 2))
      .when(decideRedeploy, redeploy(3))
      .records(deployed(3, 'dep_1')));

  it('a redeploy is recorded even if its content is identical to the live deploy', () => {
    const same = { ...content(2), manifest: digestOf('1') };
    const event = deployed(2, 'dep_1');
    return given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), content: same })
      .records({ ...event, data: { ...event.data, manifest: digestOf('1') } });
  });

  it('a redeploy replaces a deploy that was published by a faster request, and gets the next number', () => {
    const event = deployed(2, 'dep_x');
    const faster = deployed(2, 'dep_1');
    return given(site, ...story, { ...faster, data: { ...faster.data, deployId: 'dep_x' } })
      .when(decideRedeploy, redeploy(2))
      .records({ ...event, data: { ...event.data, number: 3 } });
  });

  it('an existing site without a deploy can get its first deploy', () =>
    given(site, created).when(decideRedeploy, redeploy(1)).records(deployed(1)));

  it('a redeploy is refused for a stranger', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, stranger))
      .refuses('edit_token_invalid'));

  it('a redeploy is refused for an anonymous caller', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, nobody))
      .refuses('unauthenticated'));

  it('a redeploy is refused with the edit token of a site that has an owner', () =>
    given(site, SiteCreated({ slug: 'amber-otter', editTokenHash: null }), deployed(1))
      .when(decideRedeploy, redeploy(2))
      .refuses('edit_token_invalid'));

  it('a redeploy is refused if the site never existed', () =>
    given(site).when(decideRedeploy, redeploy(1)).refuses('site_not_found'));

  it('a redeploy that is retried after a lost response records nothing', () =>
    given(site, ...story, deployed(2, 'dep_1'), deployed(3, 'dep_2'))
      .when(decideRedeploy, redeploy(2, ann, 2))
      .recordsNothing());

  it('a redeploy can be stored without becoming live', () =>
    given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), publish: false })
      .records(staged(2)));

  it('a redeploy is recorded if it was merged with the live deploy', () =>
    given(site, ...story)
      .when(decideRedeploy, { ...redeploy(2), over: 'dep_1' })
      .records(deployed(2, 'dep_1')));

  it('a redeploy is refused if it was merged with a deploy that is no longer live', () =>
    given(site, ...story, deployed(2, 'dep_1'))
      .when(decideRedeploy, { ...redeploy(3), over: 'dep_1' })
      .refuses('conflict'));

  it('a redeploy is refused if the site has expired, even if the expiry is not recorded yet', () => {
    for (const gone of [expires(noon), SiteExpired({})]) {
      given(site, ...story, gone)
        .when(decideRedeploy, redeploy(2, nobody))
        .refuses('site_expired');
    }
    given(site, ...story, expires(later))
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1'));
  });

  it('a redeploy extends the site’s expiry only if the expiry is the operator’s default', () => {
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

  it('a redeploy is refused while the site is taken down', () => {
    const takenDown = SiteTakenDown({ reason: 'phishing' });
    given(site, ...story, takenDown)
      .when(decideRedeploy, redeploy(2))
      .refuses('taken_down');
    given(site, ...story, takenDown, SiteRestored({}))
      .when(decideRedeploy, redeploy(2))
      .records(deployed(2, 'dep_1'));
  });

  it('a redeploy with If-Match succeeds if the site is unchanged', () =>
    given(site, ...story)
      .when(decideRedeploy, redeploy(2, ann, 2))
      .records(deployed(2, 'dep_1')));

  it('a redeploy with a stale If-Match is refused with the current revision and the ID of the live deploy', () =>
    given(site, ...story, deployed(2, 'dep_1'))
      .when(decideRedeploy, redeploy(3, ann, 2))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '3' },
          { path: 'deployId', message: 'dep_2' },
        ],
      }));

  it('a redeploy with a stale If-Match is refused without a deploy ID if no deploy is live', () =>
    given(site, created)
      .when(decideRedeploy, redeploy(1, ann, 7))
      .refuses('revision_mismatch', {
        faults: [
          { path: 'revision', message: '1' },
          { path: 'deployId', message: 'none' },
        ],
      }));
});
