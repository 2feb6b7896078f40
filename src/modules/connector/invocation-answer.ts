import { z } from 'zod';
import type { WorkRow } from '../../tables/connector/work-answers.js';

const output = z.json().meta({ description: 'What the agent answered.' });
const error = z.object({ message: z.string() }).meta({ description: 'Why it came to nothing.' });

/** What a waiting caller is answered. */
export const InvocationAnswer = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'succeeded', 'failed']),
    output: output.optional(),
    error: error.optional(),
  })
  .meta({ id: 'InvocationAnswer' });

export type InvocationAnswer = z.output<typeof InvocationAnswer>;

const members = {
  id: z.string(),
  status: z.enum(['queued', 'leased', 'succeeded', 'failed', 'expired']).meta({
    description: '`leased`: an agent has it. `expired`: no result came while it was worth one.',
  }),
  priority: z.number().int(),
  attempt: z.number().int().meta({ description: 'How often an agent was given it.' }),
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
  .object({ ...members, tokenId: z.string().nullable().meta({ description: 'Whose agent had it last.' }) })
  .meta({ id: 'ListedInvocation' });

const EXPIRED = 'No agent answered in time.';

/** What came of it, where something did. Payloads are erased after a day: then there is neither. */
function resultOf({ status, output }: WorkRow) {
  if (status === 'expired') return { error: { message: EXPIRED } };
  if (output === null) return {};
  return status === 'succeeded' ? { output: JSON.parse(output) } : { error: JSON.parse(output) };
}

/** The answer to a caller who waits; null while there is none. */
export function answerOf(row: WorkRow): InvocationAnswer | null {
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

export const invocationOf = (row: WorkRow): z.output<typeof Invocation> => ({ ...membersOf(row), ...resultOf(row) });

export const listedInvocation = (row: WorkRow): z.output<typeof ListedInvocation> => ({
  ...membersOf(row),
  tokenId: row.tokenId,
});
