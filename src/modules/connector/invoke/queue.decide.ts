import { type WorkEvent, WorkQueued } from '../../../events/work.events.js';
import type { Work } from '../work.state.js';

export type WorkQueueing = ReturnType<typeof WorkQueued>['data'];

/** Creates work once. If it already exists, only the response was lost, and nothing changes. */
export function decideQueue(work: Work, { siteId, input, priority }: WorkQueueing): WorkEvent[] {
  return work.status === 'unknown' ? [WorkQueued({ siteId, input, priority })] : [];
}
