export type JobLimits = {
  /** Jobs at once, of all processes together. */
  readonly inAll: number;
  /** Of one owner. */
  readonly perOwner: number;
};

/**
 * Whose turn it is. What happened to a job is in its stream; this only keeps workers from each other, and may be lost:
 * who finds a job waiting that is not here offers it again.
 */
export abstract class JobQueue {
  /** Lets workers have the job. `owner` is whoever shall not have more than their share. Harmless to repeat. */
  abstract offer(jobId: string, owner: string): Promise<void>;

  /**
   * Leases a job that nobody has to the worker: of those owners who have the fewest under way the one who was served
   * longest ago, and of his jobs the oldest. Null when there is none, or the limits are reached. Atomic over all
   * processes.
   */
  abstract take(worker: string, limits: JobLimits): Promise<string | null>;

  /** Prolongs the lease. False when it was lost: somebody else may have the job. */
  abstract renew(jobId: string, worker: string): Promise<boolean>;

  /** Gives the job back, for anybody to take at once. */
  abstract release(jobId: string, worker: string): Promise<void>;

  /** The job needs no worker any more. */
  abstract remove(jobId: string): Promise<void>;
}
