import { type JobEvent, JobFailed, JobQueuedAgain, JobStopped } from '../../../events/job.events.js';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { StorageFullError, storageError } from '../../../kernel/faults/storage-full.js';
import type { Masks } from '../../../kernel/output/masks.js';
import { plural } from '../../../kernel/output/quantities.js';
import { Refusal } from '../../../kernel/refusal.js';
import { RightEndedError, rightEnded } from '../../../kernel/rights/job-right.js';
import { BuildError, InterruptedCommandError } from '../build/build-failed.js';
import type { JobEndedError } from './job-end.js';
import { MAX_LOST_WORKERS } from './take.decide.js';

type OutcomeContext = {
  readonly masks: Masks;
  readonly mostMs: number;
  /** Number of times that the job has lost its worker before. */
  readonly lost: number;
};

/** Returns the events that record why a job was ended from outside. `thrown` is the error that its work threw. */
export function outcomeOfEnd(
  { how, error }: JobEndedError,
  thrown: unknown,
  { masks, mostMs }: OutcomeContext,
): JobEvent[] {
  if (how === 'stopped') return [JobStopped({ error })];
  if (how === 'handed_back') return [JobQueuedAgain({ reason: 'handed_back' })];
  if (how === 'lease_lost') return [];
  const running = thrown instanceof InterruptedCommandError ? ` ${masks.in(thrown.message)}` : '';
  return [JobFailed({ code: 'timed_out', message: `The job took longer than ${inWords(mostMs)}.${running}` })];
}

export function outcomeOfError(error: unknown, { masks, lost }: OutcomeContext): JobEvent[] {
  if (error instanceof BuildError) return [JobFailed({ code: 'build_failed', message: masks.in(error.message) })];
  if (error instanceof RightEndedError) return [JobStopped({ error: rightEnded(error.end) })];
  // The site was deleted, but the process that stops its jobs may lag slightly.
  if (error instanceof Refusal && error.code === 'site_not_found')
    return [JobStopped({ error: rightEnded('site_deleted') })];
  // A process that the job depends on was terminated. Handle this like a lost worker, and limit the retries because the
  // job might be the cause.
  if (error instanceof Refusal && error.code === 'unavailable' && lost < MAX_LOST_WORKERS)
    return [JobQueuedAgain({ reason: 'worker_lost' })];
  if (error instanceof Refusal) {
    const { suggestion } = error.more;
    const message = [error.detail ?? error.message, typeof suggestion === 'string' ? suggestion : []].flat().join(' ');
    return [JobFailed({ code: error.code, message: masks.in(message) })];
  }
  // A disk that becomes full while a repository is copied also counts as full storage, although copying does not use
  // the blob storage.
  if (storageError(error) instanceof StorageFullError)
    return [JobFailed({ code: 'storage_full', message: 'The service has run out of storage space.' })];
  // The job is not at fault: it is retried when the database is available again.
  if (error instanceof StoreUnavailableError) return [JobQueuedAgain({ reason: 'handed_back' })];
  return [JobFailed({ code: 'internal', message: 'The job failed because of an internal error.' })];
}

const inWords = (ms: number) => (ms % 60_000 === 0 ? plural(ms / 60_000, 'minute') : plural(ms / 1_000, 'second'));
