import type { Pool, QueryResultRow } from 'pg';
import { copyConnectionOptions } from '../../../storage/postgres/connection-options.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import { GroupedStatements } from '../../../storage/postgres/grouped-statements.js';
import type { LogStatements } from '../../../storage/postgres/log-statements.js';
import { transaction } from '../../../storage/postgres/transaction.js';
import type { Table } from '../../../storage/tables/table.js';
import type { DispatchedWork, NewWork, Offer } from '../queue/work.js';
import { WorkRepair } from '../queue/work-repair.js';
import { buildTakeStatement, computeStatementName, UNGUARDED } from '../queue/work-statement.js';
import { WorkWithEvents } from '../queue/work-with-events.js';

/** `lost` means that the attempt is no longer valid, or that another result was stored first. */
export type Offered =
  | { readonly kind: 'taken'; readonly attempt: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unknown' };

export const SCHEMA = `
create table if not exists connector_work (
  work_id      text collate "C" primary key,
  site_id      text not null,
  sequence     bigint generated always as identity,
  priority     smallint not null,
  state        text not null default 'stored', -- stored until it is in the log; then queued, leased, over
  input        text,
  attempt      integer not null default 0,
  returned     integer not null default 0,     -- attempts that never reached an agent
  token_id     text,                           -- this and the following columns describe the last attempt
  leased_until timestamptz,
  offered      text,                           -- result that is not yet in the log: succeeded, failed
  offered_at   timestamptz,
  outcome      text,                           -- succeeded, failed, expired
  output       text,
  digest       text,
  queued_at    timestamptz not null default clock_timestamp(),
  over_at      timestamptz
);
create index if not exists connector_work_open on connector_work (site_id, priority desc, sequence) where state <> 'over';
create index if not exists connector_work_of_site on connector_work (site_id, sequence desc);
create index if not exists connector_work_over on connector_work (over_at) where state = 'over';
`;

const WAITING = "state in ('stored', 'queued') and state <> 'over'";

const OFFERED = `
select site_id = $2 as here, attempt, token_id = $3 as theirs, offered = $4 and digest = $5 as same
from connector_work where work_id = $1`;

/**
 * The connectors' work with its input and output, shared by all processes. Each attempt is assigned to one agent. A row
 * is written before its event and becomes visible after it; `leftovers` finds rows left between the two steps by a
 * crash.
 */
export class WorkQueue {
  readonly leftovers: WorkRepair;
  readonly withEvents: WorkWithEvents;
  readonly #lazily: string;
  readonly #statements: GroupedStatements;

  /**
   * @param log present if the event log is in the same database as the pool. A row is then made durable by the event
   * that is recorded after it, so writing the row does not wait for the disk.
   */
  constructor(
    private readonly pool: Pool,
    log: LogStatements | null,
  ) {
    this.leftovers = new WorkRepair(pool);
    this.#statements = new GroupedStatements(copyConnectionOptions(pool));
    this.withEvents = new WorkWithEvents(this.#statements, log);
    this.#lazily = lazily(log !== null);
  }

  /** Stores work that agents can't see yet, unless `most` invocations of the site are already waiting. Idempotent. */
  async store({ workId, siteId, priority, input }: NewWork, most: number): Promise<'stored' | 'full'> {
    const values = [workId, siteId, priority, input];
    if ((await this.#insert(this.pool, values, most - UNGUARDED)) === 1) return 'stored';
    return transaction(this.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 77))', [siteId]);
      await this.#insert(client, values, most);
      const { rowCount } = await client.query('select from connector_work where work_id = $1', [workId]);
      return rowCount === 1 ? 'stored' : 'full';
    });
  }

  async #insert(db: Pick<Pool, 'query'>, values: unknown[], most: number): Promise<number | null> {
    const text = `insert into connector_work (work_id, site_id, priority, input)
       select $1, $2, $3, $4 from ${this.#lazily} where (select count(*) from
         (select from connector_work where site_id = $2 and ${WAITING} limit greatest($5::int, 0)) w) < $5
       on conflict (work_id) do nothing`;
    const { rowCount } = await awaitDatabase(
      db.query({ name: computeStatementName(text), text, values: [...values, most] }),
    );
    return rowCount;
  }

  /** Makes work available to agents after it was recorded in the log. Idempotent. */
  async show(workId: string): Promise<void> {
    await this.#query(
      `update connector_work set state = 'queued' from ${LAZILY} where work_id = $1 and state = 'stored'`,
      [workId],
    );
  }

  /** Removes from the queue work that was not recorded in the log. */
  async drop(workId: string): Promise<void> {
    await this.#query("delete from connector_work where work_id = $1 and state = 'stored'", [workId]);
  }

  /**
   * Leases the site's next work to the agent. This includes work that another agent lost if fewer than `attempts`
   * attempts were made. Returns null if there is no work or the token was revoked. Two agents never get the same
   * attempt.
   */
  async take(siteId: string, tokenId: string, leaseMs: number, attempts: number): Promise<DispatchedWork | null> {
    const { rows } = await this.#query<DispatchedWork>(buildTakeStatement(`next, ${LAZILY}`), [
      siteId,
      tokenId,
      leaseMs,
      attempts,
    ]);
    return rows[0] ?? null;
  }

  /** Returns work that the agent never received, so that another agent can get it. The attempt does not count. */
  async giveBack(workId: string, attempt: number): Promise<boolean> {
    const { rowCount } = await this.#query(
      `update connector_work set state = 'queued', leased_until = null, returned = returned + 1
       where work_id = $1 and state = 'leased' and attempt = $2 and offered_at is null`,
      [workId, attempt],
    );
    return rowCount === 1;
  }

  /**
   * Stores a result before it is recorded in the log. Accepts only the first result of an attempt and repetitions of
   * it.
   */
  async offer({ workId, siteId, tokenId, attempt, outcome, output, digest }: Offer): Promise<Offered> {
    const taken = await this.#query<{ attempt: number }>(
      `update connector_work set offered = $5, output = $6, digest = $7, offered_at = clock_timestamp()
       from ${this.#lazily} where work_id = $1 and site_id = $2 and state = 'leased' and token_id = $3
         and ($4::int is null or attempt = $4) and offered_at is null
         and exists (select from connector_tokens where token_id = $3)
       returning attempt`,
      [workId, siteId, tokenId, attempt, outcome, output, digest],
    );
    const [first] = taken.rows;
    if (first) return { kind: 'taken', attempt: first.attempt };
    const { rows } = await this.#query<{
      here: boolean;
      attempt: number;
      theirs: boolean | null;
      same: boolean | null;
    }>(OFFERED, [workId, siteId, tokenId, outcome, digest]);
    const [known] = rows;
    if (!known?.here) return { kind: 'unknown' };
    const isTheirs = known.theirs && known.same && (attempt === null || attempt === known.attempt);
    return isTheirs ? { kind: 'taken', attempt: known.attempt } : { kind: 'lost' };
  }

  /** Ends work in the queue after it has ended in the log, so that callers get the result. Idempotent. */
  async settle(workId: string, outcome: 'succeeded' | 'failed' | 'expired'): Promise<void> {
    await this.#query(
      `update connector_work set state = 'over', outcome = $2, over_at = clock_timestamp(), leased_until = null
       from ${LAZILY} where work_id = $1 and state <> 'over'`,
      [workId, outcome],
    );
  }

  closeConnections(): Promise<void> {
    return this.#statements.close();
  }

  #query<Row extends QueryResultRow>(text: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>({ name: computeStatementName(text), text, values }));
  }
}

/**
 * Returns an SQL subquery. If `isLazy`, a statement that includes the subquery commits without waiting for the disk. If
 * a crash undoes the statement, its change is made again later.
 */
const lazily = (isLazy: boolean) =>
  isLazy ? "(select set_config('synchronous_commit', 'off', true)) as lazily" : '(select) as lazily';
const LAZILY = lazily(true);

export const workQueueTable: Table<WorkQueue> = {
  name: 'connector work',
  lock: 'stele connector work schema',
  schema: SCHEMA,
  access: WorkQueue,
  open: ({ pool, log }) => new WorkQueue(pool, log),
};
