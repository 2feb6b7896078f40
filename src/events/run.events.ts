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

const example = { data: '{"step":"upload","done":3}', jobId: null };

export const RunStarted = eventType('RunStarted', report, {
  example: { data: '{}', jobId: 'job_01jd4v8k3mqg5t2x9w7z6y4r1p' },
});
export const RunProgressed = eventType('RunProgressed', report, { example });
export const RunLogged = eventType('RunLogged', report, {
  example: { data: '{"text":"a\\n\\nevent: end"}', jobId: null },
});

/** The run has succeeded and sends no more reports. */
export const RunSucceeded = eventType('RunSucceeded', report, { example, endsStream: true });
export const RunFailed = eventType('RunFailed', report, { example, endsStream: true });

/** The earlier events of the run were deleted, long after it ended. */
export const RunForgotten = eventType('RunForgotten', z.strictObject({}), { example: {}, endsStream: true });

export const runEvents = [RunStarted, RunProgressed, RunLogged, RunSucceeded, RunFailed, RunForgotten] as const;
export type RunReport = z.output<typeof report>;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
