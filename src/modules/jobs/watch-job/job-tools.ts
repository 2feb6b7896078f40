import { z } from 'zod';
import { agentTool } from '../../../process/nest/agent-tool.js';
import { JobSnapshot, sayJob } from '../show-job/snapshot.js';
import { plainJobText } from './job-text.js';

const LogQuery = z.object({
  after: z.int().min(0).optional().meta({ description: 'Only what came after this one: `after` of the page before.' }),
  limit: z.int().min(1).max(500).optional().meta({ description: 'Events in a page; 100 without it.' }),
});

/** A page of a job’s events, as the interface answers it where JSON is asked for. */
const LogPage = z.object({
  items: z.array(z.object({ id: z.int(), event: z.string(), data: z.record(z.string(), z.unknown()) })),
  after: z.int().meta({ description: 'What to ask the next page with.' }),
  limit: z.int(),
  total: z.int(),
  ended: z.boolean().meta({ description: 'Nothing follows what is in here.' }),
});

export const readJobLog = agentTool({
  name: 'read_job_log',
  title: 'What a job has done and said',
  description:
    'Lists the events of a job in their order: steps, and the lines that its commands wrote. Ask again with `after` for what comes next, until `ended`.',
  scope: 'read',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: {
    method: 'GET',
    path: '/v1/jobs/:jobId/events',
    query: LogQuery,
    headers: { accept: 'application/json' },
    takes: ['editToken'],
  },
  answer: LogPage,
  say: ({ items, after, total, ended }) =>
    `${items.length} of ${total} events, up to ${after}; ${ended ? 'the job is over' : 'more may follow'}.`,
});

export const watchJobTool = agentTool({
  name: 'watch_job',
  title: 'Wait for the end of a job',
  description:
    'Tells of each step and line as progress, and answers the job when it is over. Where it takes longer than you may wait (`waitSeconds`), the answer is the job as it stands: call it again.',
  scope: 'read',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/jobs/:jobId', takes: ['editToken'] },
  answer: JobSnapshot,
  say: sayJob,
  watches: {
    streamOf: ({ jobId }) => `job:${jobId}`,
    tell: (event, data) => plainJobText(event, data).trim().split('\n').at(-1) || null,
  },
});
