import { visible } from '../../../edge/browser/log-entry.js';
import { selectTypes } from '../../../events/event-type.js';
import type { JobEvent } from '../../../events/job.events.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteJobQueued, siteEvents } from '../../../events/site/site.events.js';
import { summarizeEvent } from '../../../events/site/site-summary.js';
import { type Names, NO_NAMES } from '../../../events/summary-words.js';
import type { Recorded } from '../../../kernel/event-store.js';
import type { NewActivity } from '../site-log/site-activity.js';

const LONGEST = 1_000;

/** Makes an untrusted string safe to store and to display in a log. */
function oneLine(text: string): string {
  const line = visible(text.slice(0, LONGEST + 1).replace(/\s/g, ' ')).trim();
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).toWellFormed();
}

const deploys = selectTypes(siteEvents, 'isDeploy');
const warnings = selectTypes(siteEvents, 'isWarning');

/**
 * Returns the log entry for an event of a site. Returns null for an event that a job's stream describes in more detail.
 * Entries contain no names or addresses. `numberOf` returns the number of one of the site’s deploys.
 */
export function activityOfSite(
  event: Recorded,
  siteId: string,
  numberOf: Names['deploy'] = NO_NAMES.deploy,
): NewActivity | null {
  const { id, type, at, actor } = event;
  if (type === SiteJobQueued.type) return null;
  const data = event.data as Record<string, unknown>;
  const { deployId, jobId } = data;
  return {
    event: id,
    type,
    siteId,
    at,
    kind: deploys.has(type) ? 'deploy' : 'system',
    level: warnings.has(type) ? 'warn' : 'info',
    message: oneLine(summarizeEvent({ type, data, actor }, { ...NO_NAMES, deploy: numberOf })),
    data: {
      actor: {
        kind: actor.kind,
        ...(actor.id !== undefined && { id: actor.id }),
        ...(actor.token !== undefined && { token: actor.token }),
        ...(actor.publisher !== undefined && { publisher: actor.publisher }),
      },
      ...(deploys.has(type) && { deployId }),
      ...(typeof jobId === 'string' && { jobId }),
    },
    ...(type === SiteDeleted.type && { endsSite: true }),
  };
}

/**
 * Returns the log entry for an event of a job, or null if the event has none. The output of a job is not copied, and
 * stays in the job's own stream.
 */
export function activityOfJob(event: Recorded, siteId: string, jobId: string): NewActivity | null {
  const told = toldOf(event as Recorded & JobEvent);
  if (told === null) return null;
  const { level = 'info', message, ...more } = told;
  const { id, type, at } = event;
  return { event: id, type, siteId, at, kind: 'job', level, message: oneLine(message), data: { jobId, ...more } };
}

type JobMessage = {
  readonly level?: NewActivity['level'];
  readonly message: string;
} & Readonly<Record<string, unknown>>;

function toldOf(event: JobEvent): JobMessage | null {
  switch (event.type) {
    case 'JobQueued':
      return { message: event.data.kind === 'rerun' ? 'Job queued to rerun the last deploy' : 'Job queued' };
    case 'JobQueuedAgain':
      return event.data.reason === 'worker_lost'
        ? { level: 'warn', message: 'Job queued again because its worker was lost' }
        : { message: 'Job queued again' };
    case 'JobStarted':
      return { message: event.data.attempt === 1 ? 'Job started' : `Job started, attempt ${event.data.attempt}` };
    case 'JobStepped':
      return stepTold(event.data);
    case 'JobStopRequested':
      return { message: 'Job stop requested' };
    case 'JobStopped':
      return { level: 'warn', message: event.data.error ? `Job stopped: ${event.data.error.message}` : 'Job stopped' };
    case 'JobSucceeded':
      return {
        message: event.data.unchanged === true ? 'Job succeeded without changes' : 'Job succeeded',
        deployId: event.data.deployId,
      };
    case 'JobFailed': {
      const error = { code: event.data.code, message: oneLine(event.data.message) };
      return { level: 'error', message: `Job failed: ${error.message}`, error };
    }
    default:
      return null;
  }
}

const WORDS = { running: 'started', succeeded: 'succeeded', failed: 'failed', skipped: 'was skipped' } as const;

function stepTold({ step, status, commit }: Extract<JobEvent, { type: 'JobStepped' }>['data']): JobMessage {
  return {
    level: status === 'failed' ? 'error' : 'info',
    message: `Step ${step} ${WORDS[status]}`,
    step,
    ...(commit !== null && { commit }),
  };
}
