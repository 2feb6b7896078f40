import { z } from 'zod';
import type { WorkRow } from './queue/work-results.js';

const output = z.json().meta({ description: 'The agent’s output.' });
const error = z.object({ message: z.string() }).meta({ description: 'Why the invocation failed.' });

export const InvocationResponse = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'succeeded', 'failed']),
    output: output.optional(),
    error: error.optional(),
  })
  .meta({ id: 'InvocationAnswer' });

export type InvocationResponse = z.output<typeof InvocationResponse>;

const members = {
  id: z.string(),
  status: z.enum(['queued', 'leased', 'succeeded', 'failed', 'expired']).meta({
    description:
      '`leased`: an agent is working on the invocation. `expired`: no agent returned a result in time, or the site was deleted.',
  }),
  priority: z.number().int(),
  attempt: z.number().int().meta({ description: 'Number of times the work has been assigned to an agent.' }),
  queuedAt: z.string(),
  finishedAt: z.string().nullable(),
};

export const Invocation = z
  .object({
    ...members,
    output: output.optional(),
    error: error.optional(),
  })
  .meta({ id: 'Invocation' });

export const ListedInvocation = z
  .object({
    ...members,
    tokenId: z
      .string()
      .nullable()
      .meta({ description: 'ID of the connector token whose agent was last assigned the work.' }),
  })
  .meta({ id: 'ListedInvocation' });

const EXPIRED = 'No agent returned a result in time.';

/** Returns the output or the error of finished work. Returns neither if it was erased, which happens after a day. */
function resultOf({ status, output }: WorkRow) {
  if (status === 'expired') return { error: { message: EXPIRED } };
  if (output === null) return {};
  return status === 'succeeded' ? { output: JSON.parse(output) } : { error: JSON.parse(output) };
}

/** Returns the response to an invocation, or null if there is no result yet. */
export function toInvocationResponse(row: WorkRow): InvocationResponse | null {
  if (row.status === 'queued' || row.status === 'leased') return null;
  return { id: row.workId, status: row.status === 'succeeded' ? 'succeeded' : 'failed', ...resultOf(row) };
}

const membersOf = ({ workId, status, priority, attempt, queuedAt, overAt }: WorkRow) => ({
  id: workId,
  status,
  priority,
  attempt,
  queuedAt: queuedAt.toISOString(),
  finishedAt: overAt?.toISOString() ?? null,
});

export const toInvocation = (row: WorkRow): z.output<typeof Invocation> => ({ ...membersOf(row), ...resultOf(row) });

export const listedInvocation = (row: WorkRow): z.output<typeof ListedInvocation> => ({
  ...membersOf(row),
  tokenId: row.tokenId,
});
