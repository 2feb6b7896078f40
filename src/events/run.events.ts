import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/** What a command line reported of one of its runs. Keyed by the id that the command line made. */
export const runStream = (runId: string) => `run-${runId}`;

const report = z.strictObject({
  /** The report itself, for people and programs that watch: JSON text of an object, which Stele does not interpret. */
  data: z.string().startsWith('{'),
  /** The job that the run is about; null for none. */
  jobId: z.string().nullable(),
});

export const RunStarted = eventType('RunStarted', report);
export const RunProgressed = eventType('RunProgressed', report);
export const RunLogged = eventType('RunLogged', report);

/** The run is over: nothing follows. */
export const RunSucceeded = eventType('RunSucceeded', report, { endsStream: true });
export const RunFailed = eventType('RunFailed', report, { endsStream: true });

/** Long after its end: the events before this one were dropped. */
export const RunForgotten = eventType('RunForgotten', z.strictObject({}), { endsStream: true });

export const runEvents = [RunStarted, RunProgressed, RunLogged, RunSucceeded, RunFailed, RunForgotten] as const;
/** What was reported of a run, of whatever kind. */
export type RunReport = z.output<typeof report>;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
