import type { Pool } from 'pg';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import type { Queryable } from '../../../../storage/postgres/queryable.js';
import { transaction } from '../../../../storage/postgres/transaction.js';

const DAY_MS = 86_400_000;

/**
 * Maximum time that dropping a partition waits for readers of the table. During that time, all other queries of the
 * table have to wait too.
 */
const LOCK_MS = 2_000;

const LOCK = "select pg_advisory_xact_lock(hashtextextended('stele access partitions', 0))";

/** Converts a time to a UTC day number (days since 1970). */
export const computeDayNumber = (at: number): number => Math.floor(at / DAY_MS);

/** Daily partitions of `access_entries`, so that a day can be deleted by dropping a table. */
export class AccessPartitions {
  /** Days that have partitions, as far as this process knows. */
  readonly #known = new Set<number>();

  constructor(private readonly pool: Pool) {}

  /** Creates missing partitions without blocking readers or writers of other days. */
  async make(days: Iterable<number>): Promise<void> {
    for (const day of days) {
      if (this.#known.has(day)) continue;
      await this.#inTransaction((db) => makePartition(db, day));
      this.#known.add(day);
    }
  }

  /**
   * Forgets which days have partitions, because another process may have dropped some. The database is then checked
   * again.
   */
  forgetKnown() {
    this.#known.clear();
  }

  /**
   * Drops the partitions of days before `day`, and returns their number. A partition that is being read remains until
   * the next call.
   */
  async dropBefore(day: number): Promise<number> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'access_entries'::regclass`,
      ),
    );
    const over = rows
      .map(({ name }) => name)
      .filter((name) => /^access_entries_\d{8}$/.test(name) && name < nameOf(day));
    for (const name of over) {
      await this.#inTransaction(async (db) => {
        await db.query(`set local lock_timeout = ${LOCK_MS}`);
        await db.query(`drop table if exists ${name}`);
      });
    }
    this.forgetKnown();
    return over.length;
  }

  #inTransaction(work: (db: Queryable) => Promise<void>): Promise<void> {
    return transaction(this.pool, async (client) => {
      await client.query(LOCK);
      await work(client);
    });
  }
}

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

const midnightOf = (day: number) => `'${dateOf(day)} 00:00:00+00'`;

const nameOf = (day: number) => `access_entries_${dateOf(day).replaceAll('-', '')}`;

/**
 * Creates the partition of a day. The table is created separately and then attached, which does not block readers or
 * writers of other days.
 */
async function makePartition(db: Queryable, day: number): Promise<void> {
  const name = nameOf(day);
  const { rows } = await db.query(`select to_regclass('${name}') is not null as there`, []);
  if ((rows as { there: boolean }[])[0]?.there) return;
  await db.query(`
    create table ${name} (like access_entries including defaults);
    create index on ${name} (site_id, id);
    create index on ${name} using brin (at);
    alter table ${name} add constraint of_its_day check (at >= ${midnightOf(day)} and at < ${midnightOf(day + 1)});
    alter table access_entries attach partition ${name} for values from (${midnightOf(day)}) to (${midnightOf(day + 1)});
    alter table ${name} drop constraint of_its_day`);
}
