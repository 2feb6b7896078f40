import type { Pool } from 'pg';
import { type JobLimits, JobQueue } from '../kernel/ports/job-queue.js';
import { answerTo } from '../postgres/database-fault.js';

/** One query, which Postgres runs as one transaction: processes that start together wait for each other. */
const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele job queue schema', 0));
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

/** One worker takes at a time, so that limits hold over all processes. */
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

const FORGET_EVERY_MS = 3_600_000;

/** The queue in PostgreSQL, for the workers of all processes on it. */
export class JobQueueTable extends JobQueue {
  /**
   * While the table could not be asked nobody could prolong a lease either: those who have one are given the time of
   * one to do so, before their jobs are taken for lost.
   */
  #heedsLeasesUntil = 0;

  constructor(
    private readonly pool: Pool,
    /** How long a worker that is not heard of keeps its jobs. */
    private readonly leaseMs: number,
  ) {
    super();
  }

  /** Creates the tables. A process that is `alone` on its database knows that whoever held a lease is gone. */
  async start(signal: AbortSignal, alone: boolean) {
    await this.pool.query(SCHEMA);
    if (alone) await this.pool.query('update job_queue set worker = null, leased_until = null');
    const forgetting = setInterval(() => this.#forget(), FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  #forget() {
    // Only who waits has a place in the order: an hour later will do as well.
    this.pool.query("delete from job_turns where served_at < now() - interval '1 hour'").catch(() => undefined);
  }

  override async offer(jobId: string, owner: string) {
    await answerTo(
      this.pool.query('insert into job_queue (job_id, owner) values ($1, $2) on conflict (job_id) do nothing', [
        jobId,
        owner,
      ]),
    );
  }

  override async take(worker: string, limits: JobLimits): Promise<string | null> {
    const asked = performance.now();
    let wasAway = true;
    try {
      const taken = await this.#take(worker, limits, asked);
      wasAway = taken === 'late';
      return wasAway ? null : taken;
    } finally {
      if (wasAway) this.#heedsLeasesUntil = performance.now() + this.leaseMs;
    }
  }

  async #take(worker: string, { inAll, perOwner }: JobLimits, asked: number): Promise<string | 'late' | null> {
    const client = await answerTo(this.pool.connect());
    let fault: Error | undefined;
    try {
      await answerTo(client.query('begin'));
      await answerTo(client.query(TURN));
      const values = [worker, perOwner, inAll, this.leaseMs, asked < this.#heedsLeasesUntil];
      const { rows } = await answerTo(client.query<{ job_id: string; was_leased: boolean }>(TAKE, values));
      const isLate = rows[0]?.was_leased === true && performance.now() - asked > this.leaseMs / 3;
      await answerTo(client.query(isLate ? 'rollback' : 'commit'));
      return isLate ? 'late' : (rows[0]?.job_id ?? null);
    } catch (error) {
      fault = error instanceof Error ? error : new Error('Nothing was taken.', { cause: error });
      throw error;
    } finally {
      // What it had begun goes with the connection.
      client.release(fault);
    }
  }

  override async renew(jobId: string, worker: string): Promise<boolean> {
    const { rowCount } = await answerTo(
      this.pool.query(
        `update job_queue set leased_until = clock_timestamp() + $3 * interval '1 millisecond'
         where job_id = $1 and worker = $2`,
        [jobId, worker, this.leaseMs],
      ),
    );
    return rowCount === 1;
  }

  override async release(jobId: string, worker: string) {
    await answerTo(
      this.pool.query('update job_queue set worker = null, leased_until = null where job_id = $1 and worker = $2', [
        jobId,
        worker,
      ]),
    );
  }

  override async remove(jobId: string) {
    await answerTo(this.pool.query('delete from job_queue where job_id = $1', [jobId]));
  }
}
