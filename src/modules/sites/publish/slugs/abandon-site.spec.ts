import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { source } from '../../../../../test/support/events/job-examples.js';
import { created, deployed, later } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SecretSet, SiteDeleted, SiteSlugReleased } from '../../../../events/site/settings.events.js';
import { type SiteEvent, SiteExpirySet, SiteJobQueued, SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideAbandonSite, lastHope } from './abandon-site.decide.js';

const job = (jobId: string) => SiteJobQueued({ jobId, source, linkId: null, dueAt: null });
const command = { jobId: 'job_1' };
const released = [SiteSlugReleased({ slug: 'amber-otter', jobId: 'job_1' }), SiteDeleted({})];
const owner = MemberAdded({ memberId: 'mem_1', userId: 'usr_1', role: 'owner', inviteId: null });

describe('Releasing the slug of a site that never had a deploy', () => {
  it.each<[string, SiteEvent[]]>([
    ['without an owner', []],
    ['with an owner from the start', [owner]],
    ['with an expiry', [SiteExpirySet({ expiresAt: later, renews: false })]],
    ['with several jobs', [job('job_0')]],
  ])('releasing the slug deletes a site that never had a deploy, %s', (_, more) =>
    given(site, created, ...more, job('job_1'))
      .when(decideAbandonSite, command)
      .records(...released),
  );

  it.each<[string, SiteEvent]>([
    ['was deployed', deployed(1)],
    ['was claimed', SiteClaimed({ memberId: 'mem_1', userId: 'usr_1' })],
    ['has a secret', SecretSet({ name: 'TOKEN', version: 1 })],
    ['has another member', MemberAdded({ memberId: 'mem_2', userId: 'usr_2', role: 'viewer', inviteId: 'inv_1' })],
    ['was taken down', SiteTakenDown({ reason: 'x' })],
  ])('releasing the slug is refused for a site that %s', (_, done) => {
    given(site, created, job('job_1'), done).when(decideAbandonSite, command).refuses('slug_taken');
    expect(lastHope(stateAfter(site, [created, job('job_1'), done]))).toBeNull();
  });

  it('releasing the slug is refused if the job was run again in the meantime', () =>
    given(site, created, job('job_1'), job('job_2')).when(decideAbandonSite, command).refuses('slug_taken'));

  it('releasing the slug is refused if the owner deleted the site, because its slugs are reserved', () =>
    given(site, created, job('job_1'), SiteDeleted({})).when(decideAbandonSite, command).refuses('slug_taken'));

  it('releasing the slug of a site again records nothing', () =>
    given(site, created, job('job_1'), ...released)
      .when(decideAbandonSite, command)
      .recordsNothing());
});
