import { randomBytes } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import { ReadModelTable } from '../projector/read-model-table.js';
import type { AnyReadModel } from '../read-model.js';
import { ofVersion } from '../table-names.js';

/**
 * SQL that creates the table `rebuilds`, which lists tables that are being built, and live tables that were replaced.
 */
export const REBUILDS = `
create table if not exists rebuilds (
  table_name text        primary key,
  model      text        not null,
  version    integer     not null,
  state      text        not null, -- building, checking, replaced
  backend    integer     not null, -- the database session that works on it
  position   bigint      not null default 0,
  last       bigint      not null default 0,
  events     bigint      not null default 0,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
)`;

/** Name of rebuild sessions in `pg_stat_activity`. */
export const SESSION = 'stele rebuild';

/** Time for which a live table is kept after it was replaced, so that an operator can inspect it. */
const REPLACED_FOR = '1 hour';

/** Time for which an unused table of another version is kept, so that a process of that version can use it again. */
const UNKEPT_FOR = '1 day';

/** SQL that limits the wait for a lock, so that dropping a table does not block readers. */
const LOCK_TIMEOUT = "set local lock_timeout = '200ms'";

export type RebuildState = {
  readonly model: string;
  readonly version: number;
  readonly state: 'building' | 'checking' | 'replaced';
  readonly table: string;
  readonly position: string;
  readonly last: string;
  readonly events: string;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  /** Whether a session is still working on the table. */
  readonly isAlive: boolean;
};

/** Keeps track of the tables that rebuilds create next to the live ones. Drops tables that are no longer needed. */
export class Rebuilds {
  constructor(
    private readonly pool: Pool,
    private readonly db: DataSource,
    private readonly models: readonly AnyReadModel[],
  ) {}

  /** Creates a new table for the model. Nothing reads it yet. `client` is the session that does the rebuild. */
  async begin(client: ClientBase, model: AnyReadModel, state: 'building' | 'checking'): Promise<ReadModelTable> {
    const live = new ReadModelTable(this.db, model).name;
    const table = new ReadModelTable(this.db, model, `${live}_${state}_${randomBytes(3).toString('hex')}`);
    await client.query('begin');
    await client.query(
      'insert into rebuilds (table_name, model, version, state, backend) values ($1, $2, $3, $4, pg_backend_pid())',
      [table.name, model.name, model.version, state],
    );
    await table.createBare(client);
    await client.query('commit');
    return table;
  }

  async progress(
    client: ClientBase,
    tables: readonly ReadModelTable[],
    position: bigint,
    last: bigint,
    events: number,
  ) {
    await client.query(
      'update rebuilds set position = $2, last = $3, events = $4, updated_at = now() where table_name = any($1)',
      [tables.map(({ name }) => name), String(position), String(last), events],
    );
  }

  /** Records that a rebuilt table is now live. Keeps the replaced table for a while. */
  async replaced(db: Queryable, table: ReadModelTable, aside: string, hadOne: boolean) {
    if (!hadOne) return db.query('delete from rebuilds where table_name = $1', [table.name]);
    return db.query(
      "update rebuilds set table_name = $2, state = 'replaced', updated_at = now() where table_name = $1",
      [table.name, aside],
    );
  }

  async list(): Promise<RebuildState[]> {
    const { rows } = await this.pool.query<RebuildState>(
      `select model, version, state, table_name as table, position, last, events,
         started_at as "startedAt", updated_at as "updatedAt",
         exists (select from pg_stat_activity where pid = backend and application_name = '${SESSION}') as "isAlive"
       from rebuilds order by started_at`,
    );
    return rows;
  }

  /** Drops a table. Throws if the table is being read. */
  async drop(name: string) {
    await this.pool.query(
      `${LOCK_TIMEOUT}; drop table if exists "${name}"; delete from rebuilds where table_name = '${name}'`,
    );
  }

  /**
   * Drops tables of interrupted rebuilds, tables replaced more than an hour ago, and tables of other versions that no
   * process has updated for a day. If a table is in use, leaves it for the next sweep.
   */
  async sweep(): Promise<void> {
    // Locks rows in the order of their names, like `CheckpointSkipper`, to prevent deadlocks with it.
    await this.pool.query(
      `with mine as (
         select name, version from checkpoints join unnest($1::text[], $2::integer[]) as mine (name, version)
           using (name, version)
         order by name for update of checkpoints
       )
       update checkpoints set kept_at = now() from mine
       where checkpoints.name = mine.name and checkpoints.version = mine.version`,
      [this.models.map(({ name }) => name), this.models.map(({ version }) => version)],
    );
    for (const { table, state, isAlive, updatedAt } of await this.list()) {
      const isOld = state === 'replaced' && (await this.#isPast(updatedAt, REPLACED_FOR));
      if (isOld || (state !== 'replaced' && !isAlive)) await this.drop(table).catch(leftToCleaning);
    }
    for (const model of this.models) await this.#dropOtherVersions(model);
  }

  async #isPast(time: Date, interval: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ past: boolean }>('select $1::timestamptz < now() - $2::interval as past', [
      time,
      interval,
    ]);
    return rows[0]?.past ?? false;
  }

  async #dropOtherVersions(model: AnyReadModel) {
    const { rows } = await this.pool.query<{ version: number }>(
      `select version from checkpoints where name = $1 and version <> $2 and kept_at < now() - $3::interval`,
      [model.name, model.version, UNKEPT_FOR],
    );
    for (const { version } of rows) {
      const table = ofVersion(this.db.getMetadata(model.entity).givenTableName ?? '', version);
      await this.pool
        .query(
          `${LOCK_TIMEOUT}; drop table if exists "${table}";
           delete from checkpoints where name = '${model.name}' and version = ${version};
           delete from dead_letters where model = '${model.name}' and version = ${version}`,
        )
        .catch(leftToCleaning);
    }
  }
}
