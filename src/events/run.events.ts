import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/** The stream of one run that a CLI reports. The CLI generates its ID. */
export const runStream = (runId: string) => `run-${runId}`;

const report = z.strictObject({
  /** The report for those who watch the run: a JSON object as a string, which Stele does not interpret. */
  data: z.string().startsWith('{'),
  /** The job that the run is about, or null. */
  jobId: z.string().nullable(),
});

export const RunStarted = eventType('RunStarted', report);
export const RunProgressed = eventType('RunProgressed', report);
export const RunLogged = eventType('RunLogged', report);

/** The run has succeeded and sends no more reports. */
export const RunSucceeded = eventType('RunSucceeded', report, { endsStream: true });
export const RunFailed = eventType('RunFailed', report, { endsStream: true });

/** The earlier events of the run were deleted, long after it ended. */
export const RunForgotten = eventType('RunForgotten', z.strictObject({}), { endsStream: true });

export const runEvents = [RunStarted, RunProgressed, RunLogged, RunSucceeded, RunFailed, RunForgotten] as const;
export type RunReport = z.output<typeof report>;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
