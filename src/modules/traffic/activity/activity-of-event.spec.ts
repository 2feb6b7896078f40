import { describe, expect, it } from '@jest/globals';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { created, deployed, rolledBack, staged } from '../../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import {
  JobFailed,
  JobForgotten,
  JobQueuedAgain,
  JobStepped,
  JobStopped,
  JobStopRequested,
  JobSucceeded,
} from '../../../events/job.events.js';
import { MemberRemoved } from '../../../events/site/member.events.js';
import { CapabilitySet } from '../../../events/site/settings.events.js';
import { SiteJobQueued, SiteTakenDown } from '../../../events/site/site.events.js';
import type { DomainEvent } from '../../../kernel/decider.js';
import { activityOfJob, activityOfSite } from './activity-of-event.js';

async function recorded(event: DomainEvent) {
  const store = new MemoryStore();
  await store.write('site-1', event);
  const [found] = (await store.read('site-1')).events;
  if (!found) throw new Error('It was not written.');
  return found;
}

const step = (status: 'running' | 'failed' | 'skipped') =>
  JobStepped({ step: 'build', status, commit: null, plan: null });

describe('A site’s log', () => {
  it.each([
    [created, 'system', 'info', 'Created as amber-otter'],
    [deployed(1), 'deploy', 'info', 'Deploy 1: 1 file, 100 bytes'],
    [staged(2), 'deploy', 'info', 'Deploy 2 staged: 2 files, 200 bytes'],
    [rolledBack(1, 2), 'deploy', 'info', 'Rolled back to deploy 1'],
    [CapabilitySet({ name: 'spa', enabled: true, config: {} }), 'system', 'info', 'Capability spa turned on'],
    [MemberRemoved({ memberId: 'mem_1', userId: 'usr_bob' }), 'system', 'info', 'A member was removed'],
    [SiteTakenDown({ reason: 'phi\nshing' }), 'system', 'warn', 'Taken down by the operator: phi shing'],
  ])('describes site events: %j', async (event, kind, level, message) => {
    expect(activityOfSite(await recorded(event), 'site_1')).toMatchObject({ kind, level, message, siteId: 'site_1' });
  });

  it('omits site events that job events describe better', async () => {
    const event = SiteJobQueued({ jobId: 'job_1', source: queued.data.source, linkId: null, dueAt: null });
    expect(activityOfSite(await recorded(event), 'site_1')).toBeNull();
  });

  it.each([
    [queued, 'info', 'Job queued'],
    [JobQueuedAgain({ reason: 'worker_lost' }), 'warn', 'Job queued again because its worker was lost'],
    [startedBy('a', 2), 'info', 'Job started, attempt 2'],
    [step('running'), 'info', 'Step build started'],
    [step('skipped'), 'info', 'Step build was skipped'],
    [step('failed'), 'error', 'Step build failed'],
    [JobStopRequested({ error: null }), 'info', 'Job stop requested'],
    [JobStopped({ error: null }), 'warn', 'Job stopped'],
    [JobStopped({ error: { code: 'x', message: 'It was deleted.' } }), 'warn', 'Job stopped: It was deleted.'],
    [JobSucceeded({ deployId: 'dep_1', unchanged: true }), 'info', 'Job succeeded without changes'],
    [JobFailed({ code: 'build_failed', message: 'x'.repeat(2_000) }), 'error', `Job failed: ${'x'.repeat(988)}…`],
  ])('describes job events: %j', async (event, level, message) => {
    const told = activityOfJob(await recorded(event), 'site_1', 'job_1');
    expect(told).toMatchObject({ kind: 'job', level, data: { jobId: 'job_1' } });
    expect(told?.message.slice(0, 1_001)).toBe(message);
  });

  it('omits the deletion of a job', async () =>
    expect(activityOfJob(await recorded(JobForgotten({})), 'site_1', 'job_1')).toBeNull());
});
