import { JobLogged, JobQueued, JobStarted } from '../../../src/events/job.events.js';

export const source = { url: 'https://example.org/a/b', ref: null, rootDirectory: null, plan: {} };

export const asked = {
  kind: 'repo_deploy' as const,
  siteId: 'site_1',
  slug: 'amber-otter',
  deployId: 'dep_1',
  by: { kind: 'membership' as const, id: 'mem_1' },
  memberId: 'mem_1',
  trust: 'session' as const,
  linkId: null,
  source,
};

export const queued = JobQueued(asked);
export const startedBy = (worker: string, attempt = 1) => JobStarted({ worker, attempt });
export const logged = (n: number) => JobLogged({ step: 'clone', lines: [{ n, stream: 'stdout', text: `line ${n}` }] });
