import type { ClientBase } from 'pg';
import type { DataSource, EntityMetadata } from 'typeorm';
import type { AnyReadModel } from './read-model.js';

type Queryable = Pick<ClientBase, 'query'>;
type TableColumn = {
  readonly name: string;
  readonly property: string;
  readonly type: string;
  readonly nullable: boolean;
};

const quoted = (name: string) => `"${name}"`;

/** The table of a read model, for rows in bulk: what TypeORM's metadata says, written through pg. */
export class Table {
  readonly #name: string;
  readonly #key: TableColumn;
  readonly #columns: readonly TableColumn[];
  readonly #indexes: EntityMetadata['indices'];

  constructor(db: DataSource, model: AnyReadModel) {
    const metadata = db.getMetadata(model.entity);
    this.#name = metadata.tableName;
    this.#indexes = metadata.indices;
    this.#columns = metadata.columns.map(({ databaseName, propertyName, type, isNullable }) => ({
      name: databaseName,
      property: propertyName,
      type: String(type),
      nullable: isNullable,
    }));
    const [key] = metadata.primaryColumns;
    const column = this.#columns.find(({ name }) => name === key?.databaseName);
    if (!column || metadata.primaryColumns.length !== 1) throw new Error(`${this.#name} needs one primary column.`);
    this.#key = column;
  }

  /** Creates the table and its indexes where they are missing. */
  async create(db: Queryable) {
    const columns = this.#columns.map(
      ({ name, type, nullable }) => `${quoted(name)} ${type}${nullable ? '' : ' not null'}`,
    );
    await db.query(
      `create table if not exists ${quoted(this.#name)} (${columns.join(', ')}, primary key (${quoted(this.#key.name)}))`,
    );
    for (const index of this.#indexes) {
      const on = index.columns.map(({ databaseName }) => quoted(databaseName)).join(', ');
      await db.query(
        `create ${index.isUnique ? 'unique ' : ''}index if not exists ${quoted(index.name)} on ${quoted(this.#name)} (${on})`,
      );
    }
  }

  async load(db: Queryable, keys: readonly string[]): Promise<Map<string, object>> {
    const selected = this.#columns.map(({ name, property }) => `${quoted(name)} as ${quoted(property)}`).join(', ');
    const { rows } = await db.query<Record<string, string>>(
      `select ${selected} from ${quoted(this.#name)} where ${quoted(this.#key.name)} = any($1)`,
      [keys],
    );
    return new Map(rows.map((row) => [row[this.#key.property] ?? '', row]));
  }

  /** All rows in one statement: a row that stands is replaced. */
  async upsert(db: Queryable, rows: readonly object[]) {
    if (rows.length === 0) return;
    const names = this.#columns.map(({ name }) => quoted(name)).join(', ');
    const arrays = this.#columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
    const others = this.#columns.filter((column) => column !== this.#key);
    const updates = others.map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
    await db.query(
      `insert into ${quoted(this.#name)} (${names}) select * from unnest(${arrays})
       on conflict (${quoted(this.#key.name)}) do update set ${updates}`,
      this.#columns.map(({ property }) => rows.map((row) => (row as Record<string, unknown>)[property])),
    );
  }

  async remove(db: Queryable, keys: readonly string[]) {
    if (keys.length === 0) return;
    await db.query(`delete from ${quoted(this.#name)} where ${quoted(this.#key.name)} = any($1)`, [keys]);
  }
}
