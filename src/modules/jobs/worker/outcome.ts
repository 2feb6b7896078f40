import { type JobEvent, JobFailed, JobQueuedAgain, JobStopped } from '../../../events/job.events.js';
import { StoreUnavailable } from '../../../kernel/event-store.js';
import { StorageFull, storageError } from '../../../kernel/faults/storage-full.js';
import type { Masks } from '../../../kernel/output/masks.js';
import { plural } from '../../../kernel/output/quantities.js';
import { Refusal } from '../../../kernel/refusal.js';
import { RightEndedError, rightEnded } from '../../../kernel/rights/job-right.js';
import { BuildFailed } from '../build/build-failed.js';
import type { JobEnd } from './job-end.js';
import { MOST_LOST } from './take.decide.js';

type OutcomeContext = {
  readonly masks: Masks;
  /** How long a job may take. */
  readonly mostMs: number;
  /** How often what worked on it was lost before. */
  readonly lost: number;
};

/** The events that say how a job ended that was ended from outside. */
export function outcomeOfEnd({ how, error }: JobEnd, { mostMs }: OutcomeContext): JobEvent[] {
  if (how === 'stopped') return [JobStopped({ error })];
  if (how === 'handed_back') return [JobQueuedAgain({ reason: 'handed_back' })];
  if (how === 'lease_lost') return [];
  return [JobFailed({ code: 'timed_out', message: `The job took longer than ${inWords(mostMs)}.` })];
}

/** The events that say how a job ended that met an error. */
export function outcomeOfError(error: unknown, { masks, lost }: OutcomeContext): JobEvent[] {
  if (error instanceof BuildFailed) return [JobFailed({ code: 'build_failed', message: masks.in(error.message) })];
  if (error instanceof RightEndedError) return [JobStopped({ error: rightEnded(error.end) })];
  // Its site was deleted: the process that stops the jobs of the site may be a moment behind.
  if (error instanceof Refusal && error.code === 'site_not_found')
    return [JobStopped({ error: rightEnded('site_deleted') })];
  // What the work needs was ended under it, as a worker is: it may be the job’s doing, so not for ever.
  if (error instanceof Refusal && error.code === 'unavailable' && lost < MOST_LOST)
    return [JobQueuedAgain({ reason: 'worker_lost' })];
  if (error instanceof Refusal)
    return [JobFailed({ code: error.code, message: masks.in(error.detail ?? error.message) })];
  // Also while a repository is copied, which is not part of what is stored.
  if (storageError(error) instanceof StorageFull)
    return [JobFailed({ code: 'storage_full', message: 'The service has run out of storage space.' })];
  // Not caused by the job: it is retried when the database is available again.
  if (error instanceof StoreUnavailable) return [JobQueuedAgain({ reason: 'handed_back' })];
  return [JobFailed({ code: 'internal', message: 'The job failed because of an internal error.' })];
}

const inWords = (ms: number) => (ms % 60_000 === 0 ? plural(ms / 60_000, 'minute') : plural(ms / 1_000, 'second'));
