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

/** A row that is not as the log says: how it is and how it should be, as PostgreSQL writes rows; null for none. */
export type RowDifference = { readonly key: string; readonly actual: string | null; readonly expected: string | null };

const quoted = (name: string) => `"${name}"`;

/** The table of a read model, for rows in bulk: what TypeORM's metadata says, written through pg. */
export class ReadModelTable {
  readonly name: string;
  readonly #version: number;
  readonly #key: TableColumn;
  readonly #columns: readonly TableColumn[];
  readonly #indexes: EntityMetadata['indices'];
  readonly #upsert: { readonly name: string; readonly text: string };

  /** The table that is read; with `name` a shadow of it. */
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

  /** Each column comes as an array of texts: quoting those of other types would cost both sides more than all else. */
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

  /** The properties of a row, in the order of the columns. */
  get properties(): readonly string[] {
    return this.#columns.map(({ property }) => property);
  }

  /** Creates the table and its indexes where they are missing. */
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

  /** Creates the table with neither key nor indexes, for rows that come in bulk. */
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

  /** Takes the place of the table that is read, which is there under `aside` afterwards. Within a transaction. */
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

  /** The statement that takes rows in COPY's text format, their values in the order of `properties`. */
  get copy() {
    return `copy ${quoted(this.name)} (${this.#columns.map(({ name }) => quoted(name)).join(', ')}) from stdin`;
  }

  /** The keys of rows that are not the same in both tables, at most so many, and how they differ. */
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

  /** How many rows there are, and a digest that two tables share when their rows are the same, in whatever order. */
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

  /** Loads the rows and removes them: the caller has to write them again. */
  async takeOut(db: Queryable, keys: readonly string[]): Promise<Map<string, object>> {
    return this.#byKey(
      await db.query(
        `delete from ${quoted(this.name)} where ${quoted(this.#key.name)} = any($1) returning ${this.#selected()}`,
        [keys],
      ),
    );
  }

  /** All rows in one statement: a row that stands is replaced. */
  async upsert(db: Queryable, rows: readonly object[]) {
    if (rows.length === 0) return;
    const values = (property: string) => rows.map((row) => columnText((row as Record<string, unknown>)[property]));
    await db.query({ ...this.#upsert, values: this.#columns.map(({ property }) => textArray(values(property))) });
  }

  async remove(db: Queryable, keys: readonly string[]) {
    if (keys.length === 0) return;
    await db.query(`delete from ${quoted(this.name)} where ${quoted(this.#key.name)} = any($1)`, [keys]);
  }

  /** Removes all rows of these sites; a table whose rows are of no site has none. */
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
