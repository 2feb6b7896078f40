import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';
import { type ServerStanding, type ServerState, ServerStateLookup } from '../../sites/api/server-state.js';
import { type LeasedDeploy, SERVER_ROW, type ServerReport, type ServerRow, type ServerWorker } from './server-row.js';

const SCHEMA = `
create table if not exists site_servers (
  deploy_id    text primary key,
  site_id      text not null,
  slug         text not null,
  digest       text not null,
  kind         text not null,        -- next or container
  state        text not null,        -- starting, running, sleeping or crashed
  since        timestamptz not null,
  reason       text,
  worker       text,                 -- null if no worker has a lease
  leased_until timestamptz,          -- or, without a worker, when the last worker released a server that must keep running
  stop_asked   boolean not null default false,
  memory_bytes bigint,
  uses         integer not null default 0,
  starts       integer not null default 0,
  start_ms     integer
);
create index if not exists site_servers_by_site on site_servers (site_id);
create table if not exists server_workers (
  worker     text primary key,
  host       text,
  port       integer,
  running    integer not null,
  most       integer not null,
  seen_until timestamptz not null
);
`;

/** A worker that does not report for this long loses its servers. Workers report every few seconds. */
export const LEASE_MS = 12_000;
const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;

const FREE = '(s.worker is null or s.leased_until <= clock_timestamp())';

/** Records which worker runs which server, so that processes find the server and no two workers run it. */
export class ServerLeases extends ServerStateLookup {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Leases a server to a worker. Returns false if another worker has the server. Atomic. */
  async take(worker: string, { deployId, siteId, slug, digest, kind }: LeasedDeploy): Promise<boolean> {
    const { rowCount } = await awaitDatabase(
      this.pool.query(
        `insert into site_servers as s (deploy_id, site_id, slug, digest, kind, state, since, worker, leased_until, starts)
         values ($2, $3, $4, $5, $6, 'starting', clock_timestamp(), $1, ${UNTIL}, 1)
         on conflict (deploy_id) do update set worker = $1, leased_until = ${UNTIL}, slug = $4, state = 'starting',
           since = clock_timestamp(), stop_asked = false, starts = s.starts + 1
         where ${FREE} or s.worker = $1`,
        [worker, deployId, siteId, slug, digest, kind],
      ),
    );
    return rowCount === 1;
  }

  /**
   * Records the state of a server and renews its lease. Does nothing if the worker no longer holds the lease. `startMs`
   * is null unless the server has just started.
   */
  async say(
    worker: string,
    deployId: string,
    { state, since, reason }: ServerStanding,
    startMs: number | null,
  ): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `update site_servers set state = $3, since = $4, reason = $5, leased_until = ${UNTIL},
           start_ms = coalesce($6, start_ms) where deploy_id = $2 and worker = $1`,
        [worker, deployId, state, since, reason, startMs],
      ),
    );
  }

  /** Releases a worker's lease on a server. If the server is released as `running`, another worker takes it over. */
  async release(worker: string, deployId: string, { state, since, reason }: ServerStanding): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `update site_servers set state = $3, since = $4, reason = $5, worker = null, leased_until = null,
           stop_asked = false, memory_bytes = null, uses = 0 where deploy_id = $2 and worker = $1`,
        [worker, deployId, state, since, reason],
      ),
    );
  }

  /**
   * Renews a worker's leases and records its capacity. Returns the leases that it still holds and the servers to stop.
   */
  async renew(
    { worker, place }: ServerWorker,
    reports: readonly ServerReport[],
    most: number,
  ): Promise<{ readonly held: ReadonlySet<string>; readonly toStop: readonly string[] }> {
    await awaitDatabase(
      this.pool.query(
        `insert into server_workers (worker, host, port, running, most, seen_until) values ($1, $2, $3, $4, $5, ${UNTIL})
         on conflict (worker) do update set running = $4, most = $5, seen_until = ${UNTIL}`,
        [worker, place?.host ?? null, place?.port ?? null, reports.length, most],
      ),
    );
    const { rows } = await awaitDatabase(
      this.pool.query<{ deploy_id: string; stop_asked: boolean }>(
        `update site_servers s set leased_until = ${UNTIL}, memory_bytes = told.memory_bytes, uses = told.uses
         from unnest($2::text[], $3::bigint[], $4::int[]) as told (deploy_id, memory_bytes, uses)
         where s.deploy_id = told.deploy_id and s.worker = $1 returning s.deploy_id, s.stop_asked`,
        [
          worker,
          reports.map(({ deployId }) => deployId),
          reports.map(({ memoryBytes }) => memoryBytes),
          reports.map(({ uses }) => uses),
        ],
      ),
    );
    return {
      held: new Set(rows.map((row) => row.deploy_id)),
      toStop: rows.filter((row) => row.stop_asked).map((row) => row.deploy_id),
    };
  }

  /** Removes a worker, so that other workers can take over its servers immediately. */
  async leave(worker: string): Promise<void> {
    await awaitDatabase(
      this.pool.query('update site_servers set worker = null, leased_until = clock_timestamp() where worker = $1', [
        worker,
      ]),
    );
    await awaitDatabase(this.pool.query('delete from server_workers where worker = $1', [worker]));
  }

  /** Marks a running server as sleeping if no worker has room for it. The next visitor starts the server. */
  async letSleep(deployId: string): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `update site_servers s set state = 'sleeping', since = clock_timestamp(), reason = null, worker = null,
           leased_until = null where deploy_id = $1 and state in ('starting', 'running') and ${FREE}`,
        [deployId],
      ),
    );
  }

  /** Returns the servers that were running when they lost their worker. */
  async orphans(): Promise<readonly ServerRow[]> {
    return this.#rows(`where state in ('starting', 'running') and ${FREE} order by since limit 100`, []);
  }

  override async find(deployId: string): Promise<ServerRow | null> {
    const [row] = await this.#rows('where deploy_id = $1', [deployId]);
    return row ?? null;
  }

  list(): Promise<readonly ServerRow[]> {
    const order = "case state when 'crashed' then 0 when 'running' then 1 when 'starting' then 2 else 3 end";
    return this.#rows(`order by ${order}, since desc limit 1000`, []);
  }

  /**
   * Returns the worker that should run a server: preferably the worker that already runs it, then a worker that runs
   * another deploy of the site, then the least loaded worker.
   */
  async workerFor({ deployId, siteId }: LeasedDeploy): Promise<ServerWorker | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ worker: string; host: string | null; port: number | null }>(
        `select w.worker, w.host, w.port from server_workers w
           left join site_servers s on s.worker = w.worker and s.leased_until > clock_timestamp() and s.site_id = $2
         where w.seen_until > clock_timestamp()
         order by (s.deploy_id = $1) is true desc, s.deploy_id is not null desc, w.running::float8 / w.most, w.worker
         limit 1`,
        [deployId, siteId],
      ),
    );
    const [row] = rows;
    if (!row) return null;
    const { worker, host, port } = row;
    return { worker, place: host === null || port === null ? null : { host, port } };
  }

  async standing(): Promise<{ readonly workers: number; readonly byState: ReadonlyMap<ServerState, number> }> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ state: ServerState; many: number }>(
        'select state, count(*)::int as many from site_servers group by state',
      ),
    );
    const workers = await awaitDatabase(
      this.pool.query<{ many: number }>(
        'select count(*)::int as many from server_workers where seen_until > clock_timestamp()',
      ),
    );
    return { workers: workers.rows[0]?.many ?? 0, byState: new Map(rows.map(({ state, many }) => [state, many])) };
  }

  /** Counts the servers that were running and have had no worker for half a minute. */
  async stranded(): Promise<number> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ many: number }>(
        `select count(*)::int as many from site_servers
         where state in ('starting', 'running') and leased_until < clock_timestamp() - interval '30 seconds'`,
      ),
    );
    return rows[0]?.many ?? 0;
  }

  /** Requests that workers stop the site's servers, which then sleep. Returns the number of servers to stop. */
  async askToStop(slug: string): Promise<number> {
    const { rowCount } = await awaitDatabase(
      this.pool.query('update site_servers set stop_asked = true where slug = $1 and worker is not null', [slug]),
    );
    return rowCount ?? 0;
  }

  async forgetSite(siteId: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from site_servers where site_id = $1', [siteId]));
  }

  async #rows(where: string, values: readonly unknown[]): Promise<readonly ServerRow[]> {
    const { rows } = await awaitDatabase(
      this.pool.query<ServerRow>(`select ${SERVER_ROW} from site_servers s ${where}`, [...values]),
    );
    return rows;
  }
}

export const serverLeasesTable: Table<ServerLeases> = {
  name: 'server leases',
  lock: 'stele site servers schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: `delete from site_servers where worker is null and since < now() - interval '90 days';
      delete from server_workers where seen_until < now() - interval '1 hour'`,
  },
  endLeases: 'update site_servers set worker = null, leased_until = clock_timestamp(); delete from server_workers',
  access: ServerLeases,
  open: ({ pool }) => new ServerLeases(pool),
};
