import { type WorkEvent, WorkQueued } from '../../../events/work.events.js';
import type { Work } from '../work.state.js';

export type WorkQueueing = ReturnType<typeof WorkQueued>['data'];

/** Brings work into being, once: for what is there already, the answer was lost and nothing changes. */
export function decideQueue(work: Work, { siteId, input, priority }: WorkQueueing): WorkEvent[] {
  return work.status === 'unknown' ? [WorkQueued({ siteId, input, priority })] : [];
}
