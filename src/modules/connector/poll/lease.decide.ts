import { type WorkEvent, WorkLeased, WorkReturned } from '../../../events/work.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Work } from '../work.state.js';

export type Lease = ReturnType<typeof WorkLeased>['data'];

/** Assigns work to an agent. Refuses with `lease_lost` if a later attempt has begun or the work has ended. */
export function decideLease(work: Work, { attempt, tokenId, agent, until }: Lease): WorkEvent[] {
  const isFree = work.status === 'queued' || work.status === 'leased';
  if (!isFree || attempt < work.attempt)
    return refuse('lease_lost', 'This work item is already finished, or another attempt has taken it over.');
  if (attempt > work.attempt) return [WorkLeased({ attempt, tokenId, agent, until })];
  return work.status === 'leased' && work.tokenId === tokenId ? [] : refuse('lease_lost');
}

/** Records that an agent disconnected before it received its work. Records nothing if the attempt has already ended. */
export function decideReturn(work: Work, { attempt }: { readonly attempt: number }): WorkEvent[] {
  return work.status === 'leased' && work.attempt === attempt ? [WorkReturned({ attempt })] : [];
}
