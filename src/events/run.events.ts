import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/** The stream of one run that a CLI reports. The CLI generates its ID. */
export const runStream = (runId: string) => `run-${runId}`;

const report = z.strictObject({
  /** The report, for people and clients that watch it: JSON text of an object, which Stele does not interpret. */
  data: z.string().startsWith('{'),
  /** The job that the run concerns; null if there is none. */
  jobId: z.string().nullable(),
});

export const RunStarted = eventType('RunStarted', report);
export const RunProgressed = eventType('RunProgressed', report);
export const RunLogged = eventType('RunLogged', report);

/** The run has ended; no reports follow. */
export const RunSucceeded = eventType('RunSucceeded', report, { endsStream: true });
export const RunFailed = eventType('RunFailed', report, { endsStream: true });

/** The earlier events of the run were deleted, long after its end. */
export const RunForgotten = eventType('RunForgotten', z.strictObject({}), { endsStream: true });

export const runEvents = [RunStarted, RunProgressed, RunLogged, RunSucceeded, RunFailed, RunForgotten] as const;
/** The data of any report. */
export type RunReport = z.output<typeof report>;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
