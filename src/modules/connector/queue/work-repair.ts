import type { Pool, QueryResultRow } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';

/** Work that a crash or an unavailable database left in different states in the queue and in the log. */
export type Leftover = { readonly workId: string; readonly siteId: string } & (
  | { readonly kind: 'stored' }
  | {
      readonly kind: 'offered';
      readonly attempt: number;
      readonly tokenId: string;
      readonly outcome: 'succeeded' | 'failed' | 'gave_up';
      readonly output: string;
      readonly digest: string;
    }
  | { readonly kind: 'too_old' }
);

/** The error that is stored for work if no agent returned a result. */
export type GivenUp = { readonly output: string; readonly digest: string };

const AT_ONCE = 500;

/**
 * Finds and repairs inconsistent work in the queue, and erases old work. Several processes can do this concurrently.
 */
export class WorkRepair {
  constructor(private readonly pool: Pool) {}

  /**
   * Finds work for which a step between queue and log was interrupted at least `ms` milliseconds ago, and work that has
   * been waiting for an agent for at least `waitMs`.
   */
  async find(ms: number, waitMs: number): Promise<readonly Leftover[]> {
    const { rows } = await this.#query<Leftover>(
      `select 'stored' as kind, work_id as "workId", site_id as "siteId", null::int as attempt, null as "tokenId",
         null as outcome, null as output, null as digest
       from connector_work where state = 'stored' and queued_at < clock_timestamp() - $1 * interval '1 millisecond'
       union all
       select 'offered', work_id, site_id, attempt, token_id, offered, output, digest
       from connector_work where state = 'leased' and offered_at < clock_timestamp() - $1 * interval '1 millisecond'
       union all
       select 'too_old', work_id, site_id, null, null, null, null, null
       from connector_work where state in ('queued', 'leased') and state <> 'over' and offered_at is null
         and queued_at < clock_timestamp() - $2 * interval '1 millisecond'
       limit ${AT_ONCE}`,
      [ms, waitMs],
    );
    return rows;
  }

  /**
   * Marks work as failed with this error if its lease expired on the last of its `attempts`. Returns the number of
   * items marked.
   */
  async giveUp(attempts: number, { output, digest }: GivenUp): Promise<number> {
    const { rowCount } = await this.#query(
      `update connector_work set offered = 'gave_up', output = $2, digest = $3, offered_at = '-infinity'
       where state = 'leased' and leased_until <= clock_timestamp() and offered_at is null and attempt - returned >= $1`,
      [attempts, output, digest],
    );
    return rowCount ?? 0;
  }

  /**
   * Returns the sites that have work whose lease has expired, or work that has waited for an agent for `ms`
   * milliseconds.
   */
  async untaken(ms: number): Promise<readonly string[]> {
    const { rows } = await this.#query<{ site_id: string }>(
      `select distinct site_id from connector_work where state <> 'over' and offered_at is null
         and ((state = 'queued' and queued_at < clock_timestamp() - $1 * interval '1 millisecond')
           or (state = 'leased' and leased_until <= clock_timestamp()))`,
      [ms],
    );
    return rows.map(({ site_id }) => site_id);
  }

  async openOf(siteId: string): Promise<readonly string[]> {
    const { rows } = await this.#query<{ work_id: string }>(
      "select work_id from connector_work where site_id = $1 and state <> 'over'",
      [siteId],
    );
    return rows.map(({ work_id }) => work_id);
  }

  /** Returns the sites that have unfinished work, payloads or tokens. */
  async sites(): Promise<readonly string[]> {
    const { rows } = await this.#query<{ site_id: string }>(
      `select distinct site_id from connector_work where state <> 'over' or input is not null
       union select distinct site_id from connector_tokens`,
      [],
    );
    return rows.map(({ site_id }) => site_id);
  }

  /** Erases input and output of work that ended at least `ms` milliseconds ago, optionally of one site only. */
  async erase(ms: number, siteId: string | null = null): Promise<void> {
    await this.#query(
      `with erased as (
         update connector_work set input = null, output = null
         where state = 'over' and over_at <= clock_timestamp() - $1 * interval '1 millisecond'
           and ($2::text is null or site_id = $2) and (input is not null or output is not null)
         returning work_id
       )
       delete from connector_parts p using erased where p.work_id = erased.work_id`,
      [ms, siteId],
    );
  }

  /** Returns up to `limit` IDs of work that ended before `time`, in order, starting after the ID `after`. */
  async overBefore(time: Date, after: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#query<{ work_id: string }>(
      "select work_id from connector_work where state = 'over' and over_at < $1 and work_id > $2 order by work_id limit $3",
      [time, after, limit],
    );
    return rows.map(({ work_id }) => work_id);
  }

  async forget(workId: string): Promise<void> {
    await this.#query("delete from connector_work where work_id = $1 and state = 'over'", [workId]);
  }

  /** Returns the number of waiting invocations of all sites. */
  async waiting(): Promise<number> {
    const { rows } = await this.#query<{ n: number }>(
      "select count(*)::int as n from connector_work where state = 'queued'",
      [],
    );
    return rows[0]?.n ?? 0;
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}
