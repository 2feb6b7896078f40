import { type WorkEvent, WorkQueued } from '../../../events/work.events.js';
import type { Work } from '../work.state.js';

export type WorkQueueing = ReturnType<typeof WorkQueued>['data'];

/** Queues work. If the work already exists, changes nothing: the caller repeats the command after a lost response. */
export function decideQueue(work: Work, { siteId, input, priority }: WorkQueueing): WorkEvent[] {
  return work.status === 'unknown' ? [WorkQueued({ siteId, input, priority })] : [];
}
