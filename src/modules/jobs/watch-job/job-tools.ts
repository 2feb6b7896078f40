import { z } from 'zod';
import { uncoloured } from '../../../edge/live/frames/uncoloured-text.js';
import { plural } from '../../../kernel/output/quantities.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { JobSnapshot, sayJob } from '../show-job/snapshot.js';
import { jobText } from './job-text.js';

const LogQuery = z.object({
  after: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Returns only events after this position. Pass the `after` value of the previous page.' }),
  limit: z.int().min(1).max(500).optional().meta({ description: 'Maximum number of events to return. Default: 100.' }),
});

/** A page of a job's events, as returned by the API for `Accept: application/json`. */
const LogPage = z.object({
  items: z.array(z.object({ id: z.int(), event: z.string(), data: z.record(z.string(), z.unknown()) })),
  after: z.int().meta({ description: 'Value of `after` for the next request.' }),
  limit: z.int(),
  total: z.int(),
  ended: z.boolean().meta({ description: 'Whether the job has ended and no further events follow.' }),
});

export const readJobLog = mcpTool({
  name: 'read_job_log',
  title: 'Read a job’s log',
  description:
    'Lists a job’s events in order: its steps and the output of its commands. To continue, call it again with `after` until `ended` is true.',
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
    `${items.length} of ${plural(total, 'event')}, up to position ${after}; ${ended ? 'the job has ended' : 'more may follow'}.`,
});

export const watchJobTool = mcpTool({
  name: 'watch_job',
  title: 'Wait for a job to end',
  description:
    'Reports each step and log line as progress, and returns the job when it ends. If the job takes longer than `waitSeconds`, the tool returns the job in its current state. Call it again to keep waiting.',
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
    tell: (event, data) => uncoloured(jobText)(event, data).trim().split('\n').at(-1) || null,
  },
});
