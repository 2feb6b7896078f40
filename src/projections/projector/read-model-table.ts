import type { QueryResult } from 'pg';
import type { DataSource, EntityMetadata } from 'typeorm';
import { textArray } from '../../storage/postgres/array-parameter.js';
import { columnText } from '../../storage/postgres/column-text.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import type { AnyReadModel } from '../read-model.js';
import { ofVersion } from '../table-names.js';

type TableColumn = {
  readonly name: string;
  readonly property: string;
  readonly type: string;
  readonly nullable: boolean;
};

/**
 * A row whose content differs from what the event log says, in PostgreSQL's text format. A value is null if its table
 * does not contain the row.
 */
export type RowDifference = { readonly key: string; readonly actual: string | null; readonly expected: string | null };

const quoted = (name: string) => `"${name}"`;

/** A read model's table for bulk operations. Uses TypeORM’s metadata, but accesses the table through pg. */
export class ReadModelTable {
  readonly name: string;
  readonly #version: number;
  readonly #key: TableColumn;
  readonly #columns: readonly TableColumn[];
  readonly #indexes: EntityMetadata['indices'];
  readonly #upsert: { readonly name: string; readonly text: string };

  /** Describes the live table of the model, or a shadow table if `name` is given. */
  constructor(db: DataSource, model: AnyReadModel, name?: string) {
    const metadata = db.getMetadata(model.entity);
    this.name = name ?? metadata.tableName;
    this.#version = model.version;
    this.#indexes = metadata.indices;
    this.#columns = metadata.columns.map(({ databaseName, propertyName, type, isNullable }) => ({
      name: databaseName,
      property: propertyName,
      type: String(type),
      nullable: isNullable,
    }));
    const [key] = metadata.primaryColumns;
    const column = this.#columns.find(({ name }) => name === key?.databaseName);
    if (!column || metadata.primaryColumns.length !== 1)
      throw new Error(`${this.name} must have exactly one primary column.`);
    this.#key = column;
    this.#upsert = this.#upsertion();
  }

  /** Pass columns as arrays of strings, because quoting other types would take longer than everything else. */
  #upsertion() {
    const names = this.#columns.map(({ name }) => quoted(name));
    const arrays = names.map((_, n) => `$${n + 1}::text[]`);
    const values = this.#columns.map(({ name, type }) => `${quoted(name)}::${type}`);
    const others = names.filter((name) => name !== quoted(this.#key.name));
    const updates = others.map((name) => `${name} = excluded.${name}`);
    return {
      name: `upsert ${this.name}`,
      text: `insert into ${quoted(this.name)} (${names})
        select ${values} from unnest(${arrays}) as given (${names})
        on conflict (${quoted(this.#key.name)}) do update set ${updates}`,
    };
  }

  /** The names of a row's properties, in column order. */
  get properties(): readonly string[] {
    return this.#columns.map(({ property }) => property);
  }

  async create(db: Queryable) {
    await db.query(
      `create table if not exists ${quoted(this.name)} (${this.#declared()}, primary key (${quoted(this.#key.name)}))`,
    );
    for (const index of this.#indexes) {
      const name = quoted(ofVersion(index.name, this.#version));
      await db.query(
        `create ${unique(index)}index if not exists ${name} on ${quoted(this.name)} (${columnsOf(index)})`,
      );
    }
  }

  /** Creates the table without a key and indexes, for bulk loading. */
  async createBare(db: Queryable) {
    await db.query(`create table ${quoted(this.name)} (${this.#declared()})`);
  }

  async addKey(db: Queryable) {
    await db.query(`alter table ${quoted(this.name)} add primary key (${quoted(this.#key.name)})`);
  }

  async addIndexes(db: Queryable) {
    for (const [n, index] of this.#indexes.entries()) {
      const name = quoted(`${this.name}_${n}`);
      await db.query(`create ${unique(index)}index ${name} on ${quoted(this.name)} (${columnsOf(index)})`);
    }
    await db.query(`analyze ${quoted(this.name)}`);
  }

  /**
   * Makes this table the live one. The previous live table is renamed to `aside`. Must be called within a transaction.
   */
  async swapIn(db: Queryable, live: ReadModelTable, aside: string) {
    const rename = (kind: 'table' | 'index', from: string, to: string) =>
      db.query(`alter ${kind} if exists ${quoted(from)} rename to ${quoted(to)}`);
    await rename('table', live.name, aside);
    await rename('index', `${live.name}_pkey`, `${aside}_pkey`);
    await rename('table', this.name, live.name);
    await rename('index', `${this.name}_pkey`, `${live.name}_pkey`);
    for (const [n, index] of this.#indexes.entries()) {
      const name = ofVersion(index.name, this.#version);
      await rename('index', name, `${aside}_${n}`);
      await rename('index', `${this.name}_${n}`, name);
    }
  }

  /** COPY statement for this table in text format. Values must be in the order of `properties`. */
  get copy() {
    return `copy ${quoted(this.name)} (${this.#columns.map(({ name }) => quoted(name)).join(', ')}) from stdin`;
  }

  async differences(db: Queryable, other: ReadModelTable, limit: number): Promise<readonly RowDifference[]> {
    const row = (side: string) => `row(${this.#columns.map(({ name }) => `${side}.${quoted(name)}`).join(', ')})::text`;
    const key = quoted(this.#key.name);
    const { rows } = await db.query<RowDifference>(
      `select coalesce(live.${key}, fresh.${key}) as key,
         case when live.${key} is null then null else ${row('live')} end as actual,
         case when fresh.${key} is null then null else ${row('fresh')} end as expected
       from ${quoted(this.name)} live full join ${quoted(other.name)} fresh on live.${key} = fresh.${key}
       where live.${key} is null or fresh.${key} is null or md5(${row('live')}) <> md5(${row('fresh')})
       order by 1 limit ${limit}`,
    );
    return rows;
  }

  /** Returns the number of rows in the table, and a digest that does not depend on their order. */
  async digest(db: Queryable): Promise<{ readonly rows: number; readonly digest: string }> {
    const row = `row(${this.#columns.map(({ name }) => quoted(name)).join(', ')})::text`;
    const { rows } = await db.query<{ rows: number; digest: string }>(
      `select count(*)::int as rows, md5(coalesce(sum(hashtextextended(${row}, 0)), 0)::text) as digest
       from ${quoted(this.name)}`,
    );
    return rows[0] ?? { rows: 0, digest: '' };
  }

  async load(db: Queryable, keys: readonly string[]): Promise<Map<string, object>> {
    return this.#byKey(
      await db.query(`select ${this.#selected()} from ${quoted(this.name)} where ${quoted(this.#key.name)} = any($1)`, [
        keys,
      ]),
    );
  }

  /** Deletes rows from the table and returns them. The caller can change them and write them again. */
  async takeOut(db: Queryable, keys: readonly string[]): Promise<Map<string, object>> {
    return this.#byKey(
      await db.query(
        `delete from ${quoted(this.name)} where ${quoted(this.#key.name)} = any($1) returning ${this.#selected()}`,
        [keys],
      ),
    );
  }

  async upsert(db: Queryable, rows: readonly object[]) {
    if (rows.length === 0) return;
    const values = (property: string) => rows.map((row) => columnText((row as Record<string, unknown>)[property]));
    await db.query({ ...this.#upsert, values: this.#columns.map(({ property }) => textArray(values(property))) });
  }

  async remove(db: Queryable, keys: readonly string[]) {
    if (keys.length === 0) return;
    await db.query(`delete from ${quoted(this.name)} where ${quoted(this.#key.name)} = any($1)`, [keys]);
  }

  /** Removes all rows of these sites. Does nothing if rows of this table do not belong to sites. */
  async removeOf(db: Queryable, siteIds: readonly string[]) {
    const column = this.#columns.find(({ property }) => property === 'siteId');
    if (siteIds.length === 0 || !column) return;
    await db.query(`delete from ${quoted(this.name)} where ${quoted(column.name)} = any($1)`, [siteIds]);
  }

  #declared = () =>
    this.#columns.map(({ name, type, nullable }) => `${quoted(name)} ${type}${nullable ? '' : ' not null'}`).join(', ');

  #selected = () => this.#columns.map(({ name, property }) => `${quoted(name)} as ${quoted(property)}`).join(', ');

  #byKey = ({ rows }: QueryResult<Record<string, string>>): Map<string, object> =>
    new Map(rows.map((row) => [row[this.#key.property] ?? '', row]));
}

type Index = EntityMetadata['indices'][number];

const unique = ({ isUnique }: Index) => (isUnique ? 'unique ' : '');
const columnsOf = ({ columns }: Index) => columns.map(({ databaseName }) => quoted(databaseName)).join(', ');
