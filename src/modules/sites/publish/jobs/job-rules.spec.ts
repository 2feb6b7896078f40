import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { source } from '../../../../../test/support/events/job-examples.js';
import {
  ann,
  by,
  created,
  deployed,
  digestOf,
  later,
  nobody,
  noon,
  stranger,
} from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import {
  SiteCreated,
  SiteDeployed,
  type SiteEvent,
  SiteExpirySet,
  SiteJobQueued,
  SiteTakenDown,
} from '../../../../events/site/site.events.js';
import type { RightEnd } from '../../../../kernel/rights/job-right.js';
import { site } from '../../site/state/site.state.js';
import { decidePublishJob } from './publish-job.decide.js';
import { decideQueueAgain, decideQueueJob } from './queue-job.decide.js';

const queued = (jobId: string) => SiteJobQueued({ jobId, source, linkId: null, dueAt: null });
const fresh = { slug: 'amber-otter', editTokenHash: digestOf('a'), owner: null, expiry: null };

describe('Queueing a job for a site', () => {
  const command = { context: by(ann), jobId: 'job_1', source, linkId: null, create: null };

  it('queueing a job creates the requested site', () =>
    given(site)
      .when(decideQueueJob, { ...command, create: fresh })
      .records(SiteCreated({ slug: 'amber-otter', editTokenHash: digestOf('a') }), queued('job_1')));

  it('queueing a job makes a signed-in caller the owner of the new site', () => {
    const owner = { memberId: 'mem_1', userId: 'usr_1' };
    const create = { slug: 'amber-otter', editTokenHash: null, owner, expiry: null };
    given(site)
      .when(decideQueueJob, { ...command, create })
      .records(
        SiteCreated({ slug: 'amber-otter', editTokenHash: null }),
        MemberAdded({ ...owner, role: 'owner', inviteId: null }),
        queued('job_1'),
      );
  });

  it('queueing a job can set an expiry for a new site without an owner', () =>
    given(site)
      .when(decideQueueJob, { ...command, create: { ...fresh, expiry: { expiresAt: later, renews: true } } })
      .records(
        SiteCreated({ slug: 'amber-otter', editTokenHash: digestOf('a') }),
        SiteExpirySet({ expiresAt: later, renews: true }),
        queued('job_1'),
      ));

  it('callers who can deploy a site can queue a job for it', () => {
    given(site, created, deployed(1)).when(decideQueueJob, command).records(queued('job_1'));
    given(site, created)
      .when(decideQueueJob, { ...command, context: by(stranger) })
      .refuses('edit_token_invalid');
    given(site, created)
      .when(decideQueueJob, { ...command, context: by(nobody) })
      .refuses('unauthenticated');
    given(site, created, SiteTakenDown({ reason: 'x' }))
      .when(decideQueueJob, command)
      .refuses('taken_down');
  });

  it('repeating the request for a job after a lost response records nothing', () => {
    given(site, created, queued('job_1'))
      .when(decideQueueJob, { ...command, create: fresh })
      .recordsNothing();
    given(site, created, queued('job_1'), queued('job_2')).when(decideQueueJob, command).recordsNothing();
  });

  it('queueing a job does not create the site twice', () =>
    given(site, created)
      .when(decideQueueJob, { ...command, create: fresh })
      .refuses('conflict'));
});

describe('Rerunning the last job of a site', () => {
  const command = { context: by(ann), jobId: 'job_2' };

  it('rerunning the last job queues the same source again', () => {
    const other = { ...source, ref: 'draft' };
    given(site, created, SiteJobQueued({ ...queued('job_0').data, source: other }), queued('job_1'))
      .when(decideQueueAgain, command)
      .records(queued('job_2'));
  });

  it('rerunning the last job is refused if the site has no job', () =>
    given(site, created, deployed(1)).when(decideQueueAgain, command).refuses('nothing_to_rerun'));

  it('rerunning the last job with the same job ID records nothing', () =>
    given(site, created, queued('job_1'), queued('job_2')).when(decideQueueAgain, command).recordsNothing());

  it('rerunning the last job is refused for callers who can’t deploy the site', () =>
    given(site, created, queued('job_1'))
      .when(decideQueueAgain, { ...command, context: by(stranger) })
      .refuses('edit_token_invalid'));
});

describe('Publishing the result of a job', () => {
  const content = {
    deployId: 'dep_9',
    manifest: digestOf('9'),
    files: 1,
    bytes: 1,
    source: 'repo' as const,
    message: null,
    jobId: 'job_1',
    commit: '1'.repeat(40),
    provenance: digestOf('f'),
    client: null,
    program: null,
  };
  const right = {
    kind: 'editToken' as const,
    id: digestOf('a'),
    memberId: null,
    userId: null,
    trust: 'none' as const,
    linkId: null,
  };
  const command = { content, right, isByTokenOfSite: false, renewedExpiry: null };

  it('publishing the result of a job makes it live', () => {
    given(site, created)
      .when(decidePublishJob, { context: { at: noon }, ...command })
      .records(SiteDeployed({ ...content, number: 1, replaced: null, trusted: false }));
    given(site, created, deployed(1))
      .when(decidePublishJob, { context: { at: noon }, ...command })
      .records(SiteDeployed({ ...content, number: 2, replaced: 'dep_1', trusted: false }));
  });

  it('publishing a job’s result extends the site’s expiry if the expiry is the operator’s default', () =>
    given(site, created, SiteExpirySet({ expiresAt: later, renews: true }))
      .when(decidePublishJob, { context: { at: noon }, ...command, renewedExpiry: '2026-11-21T00:00:00.000Z' })
      .records(
        SiteDeployed({ ...content, number: 1, replaced: null, trusted: false }),
        SiteExpirySet({ expiresAt: '2026-11-21T00:00:00.000Z', renews: true }),
      ));

  it('publishing the result of a job makes it live only once', () => {
    const done = SiteDeployed({ ...content, number: 1, replaced: null, trusted: false });
    given(site, created, done)
      .when(decidePublishJob, { context: { at: noon }, ...command })
      .recordsNothing();
    given(site, created, done, deployed(2))
      .when(decidePublishJob, { context: { at: noon }, ...command })
      .recordsNothing();
  });

  it('publishing the result of a job is refused if the site has expired', () =>
    given(site, created, SiteExpirySet({ expiresAt: noon, renews: false }))
      .when(decidePublishJob, { context: { at: later }, ...command })
      .refuses('site_expired'));

  it.each<[RightEnd, SiteEvent[]]>([
    ['site_deleted', []],
    ['site_deleted', [created, SiteDeleted({})]],
    ['taken_down', [created, SiteTakenDown({ reason: 'x' })]],
    ['claimed', [created, SiteClaimed({ memberId: 'mem_1', userId: 'usr_1' })]],
  ])('publishing a job’s result is refused if the right that started the job has ended: %s', (end, history) =>
    expect(() => decidePublishJob(stateAfter(site, history), { context: { at: noon }, ...command })).toThrow(
      expect.objectContaining({ name: 'RightEndedError', end }),
    ),
  );

  it('publishing a job’s result again records nothing, even if the site was taken down in the meantime', () =>
    given(
      site,
      created,
      SiteDeployed({ ...content, number: 1, replaced: null, trusted: false }),
      SiteTakenDown({ reason: 'x' }),
    )
      .when(decidePublishJob, { context: { at: noon }, ...command })
      .recordsNothing());
});
