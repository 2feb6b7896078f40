import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ClientEvent } from '../../../edge/live/live-stream.js';
import { typesWith } from '../../../events/event-type.js';
import { type JobEvent, jobEvents } from '../../../events/job.events.js';
import type { Recorded } from '../../../kernel/event-store.js';

export const finalTypes = typesWith(jobEvents, 'endsStream');

/**
 * Converts an event of a job for clients (docs/interface/repositories.md, "Following a job"). Returns null for an event
 * of a newer version.
 */
export function jobClientEvent(recorded: Recorded, slug: string, urls: ServiceUrls): ClientEvent | null {
  const event = recorded as Recorded & JobEvent;
  const { at } = event;
  switch (event.type) {
    case 'JobQueued':
      return { event: 'job.queued', data: { at, kind: event.data.kind, slug } };
    case 'JobQueuedAgain':
      return { event: 'job.queued', data: { at, again: event.data.reason } };
    case 'JobStarted':
      return { event: 'job.started', data: { at, attempt: event.data.attempt } };
    case 'JobStepped': {
      const { step, status, commit, plan } = event.data;
      return {
        event: 'job.step',
        data: { at, step, status, ...(commit !== null && { commit }), ...(plan !== null && { plan }) },
      };
    }
    case 'JobLogged':
      return { event: 'job.log', data: { at, ...event.data } };
    case 'JobStopRequested':
      return { event: 'job.stop-requested', data: { at } };
    case 'JobStopped':
      return { event: 'job.stopped', data: { at, ...(event.data.error !== null && { error: event.data.error }) } };
    case 'JobSucceeded': {
      const { deployId, unchanged } = event.data;
      const told = { at, deployId, slug, url: urls.site(slug), ...(unchanged !== null && { unchanged }) };
      return { event: 'job.succeeded', data: told };
    }
    case 'JobFailed':
      return { event: 'job.failed', data: { at, error: event.data } };
    default:
      return null;
  }
}
