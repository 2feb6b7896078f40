import type { Pool, QueryResultRow } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

/** An invocation. Its payloads are JSON strings, or null after they were erased. */
export type WorkRow = {
  readonly workId: string;
  readonly siteId: string;
  readonly status: 'queued' | 'leased' | 'succeeded' | 'failed' | 'expired';
  readonly priority: number;
  readonly attempt: number;
  readonly tokenId: string | null;
  readonly output: string | null;
  readonly queuedAt: Date;
  readonly overAt: Date | null;
};

/** A partial result. If the work is attempted again, the partial results of earlier attempts no longer count. */
export type Part = { readonly attempt: number; readonly n: number; readonly output: string };

export type NewPart = {
  readonly workId: string;
  readonly siteId: string;
  readonly tokenId: string;
  /** Number of the attempt, or null for the last attempt that was assigned to the agent. */
  readonly attempt: number | null;
  /** The partial result, encoded as JSON. */
  readonly output: string;
};

/** Limits per attempt: number of partial results, and their total size in bytes. */
export type PartLimits = { readonly parts: number; readonly bytes: number };

export type AddedPart =
  | { readonly kind: 'added'; readonly attempt: number; readonly until: Date }
  | { readonly kind: 'lost' | 'unknown' | 'full' };

const SCHEMA = `
create table if not exists connector_parts (
  work_id text collate "C" not null,
  attempt integer not null,
  n       integer not null, -- starts at 1 in each attempt
  output  text not null,
  primary key (work_id, attempt, n)
);
`;

const COLUMNS = `work_id as "workId", site_id as "siteId", priority, attempt, token_id as "tokenId",
  case when state = 'over' then outcome when state = 'leased' then 'leased' else 'queued' end as status,
  case when state = 'over' then output end as output, queued_at as "queuedAt", over_at as "overAt"`;

export class WorkResults {
  constructor(private readonly pool: Pool) {}

  async find(workId: string): Promise<WorkRow | null> {
    const text = `select ${COLUMNS} from connector_work where work_id = $1 and state <> 'stored'`;
    const { rows } = await awaitDatabase(
      this.pool.query<WorkRow>({ name: 'connector-answers-find', text, values: [workId] }),
    );
    return rows[0] ?? null;
  }

  /** Returns a page of the site's invocations, newest first, with their total number. */
  async page(siteId: string, { page, limit }: { readonly page: number; readonly limit: number }) {
    const items = await this.#query<WorkRow>(
      `select ${COLUMNS} from connector_work where site_id = $1 and state <> 'stored'
       order by sequence desc limit $2 offset $3`,
      [siteId, limit, (page - 1) * limit],
    );
    const { rows } = await this.#query<{ total: number }>(
      "select count(*)::int as total from connector_work where site_id = $1 and state <> 'stored'",
      [siteId],
    );
    return { items: items.rows, page, limit, total: rows[0]?.total ?? 0 };
  }

  /**
   * Adds a partial result, and extends the lease to `leaseMs` from now. The agent sends one result at a time, in order.
   */
  async add(
    { workId, siteId, tokenId, attempt, output }: NewPart,
    leaseMs: number,
    most: PartLimits,
  ): Promise<AddedPart> {
    const { rows } = await this.#query<{ attempt: number; until: Date; added: boolean }>(
      `with held as (
         update connector_work set leased_until = clock_timestamp() + $6 * interval '1 millisecond'
         where work_id = $1 and site_id = $2 and state = 'leased' and token_id = $3
           and ($4::int is null or attempt = $4) and offered_at is null
         returning work_id, attempt, leased_until
       ), before as (
         select count(*)::int as n, coalesce(sum(octet_length(p.output)), 0) as bytes
         from connector_parts p join held using (work_id, attempt)
       ), added as (
         insert into connector_parts (work_id, attempt, n, output)
         select held.work_id, held.attempt, before.n + 1, $5 from held, before
         where before.n < $7 and before.bytes + octet_length($5) <= $8
         returning n
       )
       select held.attempt, held.leased_until as until, exists (select from added) as added from held`,
      [workId, siteId, tokenId, attempt, output, leaseMs, most.parts, most.bytes],
    );
    const [held] = rows;
    if (held) return held.added ? { kind: 'added', attempt: held.attempt, until: held.until } : { kind: 'full' };
    const known = await this.#query('select from connector_work where work_id = $1 and site_id = $2', [workId, siteId]);
    return { kind: known.rowCount === 1 ? 'lost' : 'unknown' };
  }

  async partsAfter(workId: string, { attempt, n }: Pick<Part, 'attempt' | 'n'>): Promise<readonly Part[]> {
    const { rows } = await this.#query<Part>(
      `select attempt, n, output from connector_parts
       where work_id = $1 and (attempt, n) > ($2, $3) order by attempt, n`,
      [workId, attempt, n],
    );
    return rows;
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

export const workResultsTable: Table<WorkResults> = {
  name: 'connector parts',
  lock: 'stele connector parts schema',
  schema: SCHEMA,
  access: WorkResults,
  open: ({ pool }) => new WorkResults(pool),
};
