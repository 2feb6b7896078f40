import {
  type RunEvent,
  RunFailed,
  RunLogged,
  RunProgressed,
  type RunReport,
  RunStarted,
  RunSucceeded,
} from '../../../events/run.events.js';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Run } from '../run.state.js';

/** Maximum number of events in a run (docs/interface/streams.md, "Runs of the command line"). */
export const MAX_RUN_EVENTS = 1_000;

const types = {
  'run.started': RunStarted,
  'run.progress': RunProgressed,
  'run.log': RunLogged,
  'run.succeeded': RunSucceeded,
  'run.failed': RunFailed,
} as const;

export type RunEventKind = keyof typeof types;

export type ReportedRun = { readonly kind: RunEventKind } & RunReport;

/** Records an event of a run. The caller's right to write to the run must already have been checked. */
export function decideRecord(run: Run, { kind, data, jobId }: ReportedRun): readonly RunEvent[] {
  if (run.status === 'over') return refuse('job_finished', 'This run has ended, so no more events can be added to it.');
  if (run.events >= MAX_RUN_EVENTS)
    return refuse('quota_exceeded', `A run can have at most ${plural(MAX_RUN_EVENTS, 'event')}.`);
  return [types[kind]({ data, jobId })];
}
