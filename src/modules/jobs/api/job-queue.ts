import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type JobLimits = {
  /** Maximum number of running jobs, across all processes. */
  readonly inAll: number;
  readonly perOwner: number;
};

const SCHEMA = `
create table if not exists job_queue (
  job_id       text primary key,
  owner        text not null,
  queued_at    timestamptz not null default clock_timestamp(),
  worker       text,
  leased_until timestamptz
);
create table if not exists job_turns (
  owner     text primary key,
  served_at timestamptz not null
);
`;

/**
 * A probe job only tests that workers take jobs from the queue. It has no event stream and is complete as soon as a
 * worker takes it.
 */
export const isProbeJob = (jobId: string) => jobId.startsWith('prb_');

/** Lets only one worker at a time take a job, so that the limits apply to all processes together. */
const TURN = "select pg_advisory_xact_lock(hashtextextended('stele job queue', 0))";

const TAKE = `
with under_way as (
  select owner, count(*) as jobs from job_queue where leased_until > clock_timestamp() group by owner
), next as (
  select q.job_id, q.owner, q.leased_until is not null as was_leased from job_queue q
    left join under_way u using (owner)
    left join job_turns t using (owner)
  where (q.leased_until is null or (q.leased_until <= clock_timestamp() and not $5))
    and coalesce(u.jobs, 0) < $2
    and (select coalesce(sum(jobs), 0) from under_way) < $3
  order by coalesce(u.jobs, 0), t.served_at nulls first, q.queued_at, q.job_id
  limit 1
), turn as (
  insert into job_turns (owner, served_at) select owner, clock_timestamp() from next
  on conflict (owner) do update set served_at = excluded.served_at
)
update job_queue q set worker = $1, leased_until = clock_timestamp() + $4 * interval '1 millisecond'
from next where q.job_id = next.job_id
returning q.job_id, next.was_leased`;

/**
 * Decides which job the workers of all processes run next, and prevents two workers from running the same job. The
 * state of a job is in its event stream, so the queue's data may be lost: waiting jobs that are missing from the queue
 * are added again.
 */
export class JobQueue {
  /**
   * After the database was unavailable, no job counts as lost until this time (`performance.now()`), because workers
   * could not renew their leases in the meantime.
   */
  #heedsLeasesUntil = 0;

  constructor(
    private readonly pool: Pool,
    /** Time until a job counts as lost after its worker has stopped renewing the lease. */
    private readonly leaseMs: number,
  ) {}

  /** Adds a waiting job. Jobs of different owners take turns. Idempotent. */
  async offer(jobId: string, owner: string): Promise<void> {
    await awaitDatabase(
      this.pool.query('insert into job_queue (job_id, owner) values ($1, $2) on conflict (job_id) do nothing', [
        jobId,
        owner,
      ]),
    );
  }

  /**
   * Takes a waiting job for a worker, and resolves to its ID. Prefers the owners with the fewest running jobs, then the
   * owner whose last turn was longest ago, then that owner's oldest job. Resolves to null if no job is waiting or the
   * limits are reached. Atomic across processes.
   */
  async take(worker: string, limits: JobLimits): Promise<string | null> {
    const begunAt = performance.now();
    let wasAway = true;
    try {
      const taken = await this.#take(worker, limits, begunAt);
      wasAway = taken === 'late';
      return wasAway ? null : taken;
    } finally {
      if (wasAway) this.#heedsLeasesUntil = performance.now() + this.leaseMs;
    }
  }

  async #take(worker: string, { inAll, perOwner }: JobLimits, begunAt: number): Promise<string | 'late' | null> {
    const client = await awaitDatabase(this.pool.connect());
    let fault: Error | undefined;
    try {
      await awaitDatabase(client.query('begin'));
      await awaitDatabase(client.query(TURN));
      const values = [worker, perOwner, inAll, this.leaseMs, begunAt < this.#heedsLeasesUntil];
      const { rows } = await awaitDatabase(client.query<{ job_id: string; was_leased: boolean }>(TAKE, values));
      const isLate = rows[0]?.was_leased === true && performance.now() - begunAt > this.leaseMs / 3;
      await awaitDatabase(client.query(isLate ? 'rollback' : 'commit'));
      return isLate ? 'late' : (rows[0]?.job_id ?? null);
    } catch (error) {
      fault = error instanceof Error ? error : new Error('Could not take a job from the queue.', { cause: error });
      throw error;
    } finally {
      // Closing the database connection also rolls back an open transaction.
      client.release(fault);
    }
  }

  /** Renews a job's lease. Returns false if the lease was lost, in which case another worker may have the job. */
  async renew(jobId: string, worker: string): Promise<boolean> {
    const { rowCount } = await awaitDatabase(
      this.pool.query(
        `update job_queue set leased_until = clock_timestamp() + $3 * interval '1 millisecond'
         where job_id = $1 and worker = $2`,
        [jobId, worker, this.leaseMs],
      ),
    );
    return rowCount === 1;
  }

  /** Returns the job to the queue, where any worker can take it immediately. */
  async release(jobId: string, worker: string): Promise<void> {
    await awaitDatabase(
      this.pool.query('update job_queue set worker = null, leased_until = null where job_id = $1 and worker = $2', [
        jobId,
        worker,
      ]),
    );
  }

  /** Returns whether the job is still in the queue, and the number of busy workers across all processes. */
  async standing(jobId: string): Promise<{ readonly isThere: boolean; readonly underWay: number }> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ is_there: boolean; under_way: number }>(
        `select coalesce(bool_or(job_id = $1), false) as is_there,
           (count(*) filter (where leased_until > clock_timestamp()))::int as under_way from job_queue`,
        [jobId],
      ),
    );
    return { isThere: rows[0]?.is_there ?? false, underWay: rows[0]?.under_way ?? 0 };
  }

  async remove(jobId: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from job_queue where job_id = $1', [jobId]));
  }
}

export const jobQueueTable: Table<JobQueue> = {
  name: 'job queue',
  lock: 'stele job queue schema',
  schema: SCHEMA,
  // The time at which an owner last had a turn matters only while the owner has waiting jobs.
  cleaning: { everyMs: 60 * 60_000, statement: "delete from job_turns where served_at < now() - interval '1 hour'" },
  endLeases: 'update job_queue set worker = null, leased_until = null',
  access: JobQueue,
  open: ({ pool, jobLeaseMs }) => new JobQueue(pool, jobLeaseMs),
};
