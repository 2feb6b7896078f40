import { hash } from 'node:crypto';
import { rawSql } from '@event-driven-io/dumbo';
import {
  getPostgreSQLEventStore,
  type Projection,
  pongoProjection,
  postgreSQLRawSQLProjection,
  rebuildPostgreSQLProjections,
} from '@event-driven-io/emmett-postgresql';
import type { Client } from 'pg';
import { DataSource, type EntityMetadata } from 'typeorm';
import type { Recorded } from '../../src/kernel/event-store.js';
import type { AnyReadModel } from '../../src/projections/read-model.js';
import { pg, product } from '../product.ts';
import { tables } from './sql.ts';

const { catalogue, isChained } = await product('events/catalogue.js');
const { allReadModels } = await product('projections/read-models.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const NAMES = ['site', 'history', 'membership'];
const models = allReadModels.filter(({ name }) => NAMES.includes(name));
const A_TRANSACTION = 500;

/** Yields the log in batches of 500, read by the product’s own code, because the peers differ only in their writes. */
async function* log(connectionString: string): AsyncGenerator<Recorded[]> {
  const pool = new pg.Pool({ connectionString, max: 2 });
  const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text: string) => hash('sha256', text) });
  const last = await store.lastPosition();
  let batch: Recorded[] = [];
  for await (const events of store.scan(0n, last, new AbortController().signal)) {
    for (const event of events) {
      batch.push(event);
      if (batch.length < A_TRANSACTION) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
  await pool.end();
}

/** Returns the column names and properties of each model, from its declaration. */
async function declared(connectionString: string, schema: string): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: connectionString,
    schema,
    entities: models.map(({ entity }) => entity),
  });
  await source.initialize();
  return source;
}

/** TypeORM as documented: find, change, save, one row at a time, 500 events in a transaction. */
export async function typeorm(connectionString: string, client: Client): Promise<number> {
  await tables(client, 'typeorm', true);
  const source = await declared(connectionString, 'typeorm');
  const began = performance.now();
  for await (const batch of log(connectionString)) {
    await source.transaction(async (manager) => {
      for (const event of batch) {
        for (const model of models) {
          const repository = manager.getRepository(model.entity);
          const { propertyName } = primaryColumnOf(repository.metadata);
          for (const key of model.touches(event)) {
            const row =
              (model.appendOnly ? undefined : await repository.findOneBy({ [propertyName]: key })) ?? undefined;
            const after = model.evolve(row, event, key);
            if (after) await repository.save(after);
            else await repository.delete({ [propertyName]: key });
          }
        }
      }
    });
  }
  const ms = performance.now() - began;
  await source.destroy();
  return ms;
}

function primaryColumnOf({ primaryColumns, name }: EntityMetadata) {
  const [column] = primaryColumns;
  if (column === undefined) throw new Error(`${name} has no primary column.`);
  return column;
}

type Row = Record<string, unknown>;
type RowStatements = {
  readonly model: AnyReadModel;
  readonly properties: readonly string[];
  readonly select: string;
  readonly upsert: string;
  readonly remove: string;
};

/** Returns, for each model, the SQL statements for a single row. */
function statementsOf(source: DataSource, schema: string): RowStatements[] {
  return models.map((model) => {
    const metadata = source.getMetadata(model.entity);
    const { columns, tableName } = metadata;
    const table = `${schema}.${tableName}`;
    const names = columns.map(({ databaseName }) => databaseName);
    const key = primaryColumnOf(metadata).databaseName;
    const others = names.filter((name) => name !== key);
    return {
      model,
      properties: columns.map(({ propertyName }) => propertyName),
      select: `select ${columns.map(({ databaseName, propertyName }) => `${databaseName} as "${propertyName}"`)} from ${table} where ${key} = $1`,
      upsert: `insert into ${table} (${names}) values (${names.map((_, n) => `$${n + 1}`)}) on conflict (${key}) do update set ${others.map((name) => `${name} = excluded.${name}`)}`,
      remove: `delete from ${table} where ${key} = $1`,
    };
  });
}

const valuesOf = (row: object, properties: readonly string[]) => {
  const values = new Map<string, unknown>(Object.entries(row));
  return properties.map((property) => values.get(property));
};

/** pg with prepared statements, one row at a time, 500 events in a transaction. */
export async function rawPg(connectionString: string, client: Client): Promise<number> {
  await tables(client, 'rawpg', true);
  const source = await declared(connectionString, 'rawpg');
  const statements = statementsOf(source, 'rawpg');
  const began = performance.now();
  for await (const batch of log(connectionString)) {
    await client.query('begin');
    for (const event of batch) {
      for (const { model, properties, select, upsert, remove } of statements) {
        const { name } = model;
        for (const key of model.touches(event)) {
          const row = model.appendOnly
            ? undefined
            : (await client.query({ name: `s ${name}`, text: select, values: [key] })).rows[0];
          const after = model.evolve(row, event, key);
          if (after)
            await client.query({
              name: `u ${name}`,
              text: upsert,
              values: valuesOf(after, properties),
            });
          else await client.query({ name: `r ${name}`, text: remove, values: [key] });
        }
      }
    }
    await client.query('commit');
  }
  const ms = performance.now() - began;
  await source.destroy();
  return ms;
}

/** emmett’s own rebuild of the same events in its own store, as in its own tests: a fold over documents in Pongo. */
export async function emmett(connectionString: string, client: Client): Promise<number> {
  await tables(client, 'pongo', true);
  const source = await declared(connectionString, 'pongo');
  const timesOfModel = (model: AnyReadModel) => timesOf(source.getMetadata(model.entity));
  const kept = models.map((model) => ({ model, times: timesOfModel(model) }));
  const ms = await rebuiltByEmmett(
    connectionString,
    pongoProjection<KeptEvent>({
      name: 'documents',
      canHandle,
      handle: async (events, { pongo }) => {
        for (const event of events) {
          const recorded = asRecorded(event);
          for (const { model, times } of kept) {
            const collection = pongo.db().collection(`bench_${model.name}`);
            for (const key of model.touches(recorded))
              await collection.handle(key, (document) => model.evolve(rowOf(document, times), recorded, key));
          }
        }
      },
    }),
  );
  for (const { model, properties, upsert } of statementsOf(source, 'pongo')) {
    const times = timesOfModel(model);
    const { rows } = await client.query<{ data: Row }>(`select data from bench_${model.name}`);
    for (const { data } of rows) {
      await client.query(upsert, valuesOf(rowOf(data, times) ?? {}, properties));
    }
  }
  await source.destroy();
  return ms;
}

const timesOf = ({ columns }: EntityMetadata): string[] =>
  columns.filter(({ type }) => type === 'timestamptz').map(({ propertyName }) => propertyName);

/** Converts a document to a row. Documents have times as strings, as in JSON. */
function rowOf(document: object | null, times: readonly string[]): Row | undefined {
  if (!document) return undefined;
  const { _id, _version, ...row }: Row = { ...document };
  for (const time of times) if (row[time]) row[time] = new Date(String(row[time]));
  return row;
}

/** The same rebuild with emmett, but with handwritten SQL instead of documents in Pongo. */
export async function emmettInSql(connectionString: string, client: Client): Promise<number> {
  await tables(client, 'emmett', true);
  const source = await declared(connectionString, 'emmett');
  const statements = statementsOf(source, 'emmett');
  const ms = await rebuiltByEmmett(
    connectionString,
    postgreSQLRawSQLProjection<KeptEvent>({
      name: 'rows',
      canHandle,
      evolve: async (event, { execute }) => {
        const recorded = asRecorded(event);
        const all: ReturnType<typeof rawSql>[] = [];
        for (const { model, properties, select, upsert, remove } of statements) {
          for (const key of model.touches(recorded)) {
            const row = model.appendOnly ? undefined : (await execute.query(rendered(select, [key]))).rows[0];
            const after = model.evolve(row, recorded, key);
            const values = after ? valuesOf(after, properties) : [key];
            all.push(rendered(after ? upsert : remove, values));
          }
        }
        return all;
      },
    }),
  );
  await source.destroy();
  return ms;
}

const canHandle = catalogue.types.map(({ type }) => type);

/** An event in emmett's store, with its position as a string, as in JSON. */
type KeptEvent = {
  type: string;
  data: object;
  metadata: { kept: Omit<Recorded, 'data' | 'position'> & { position: string } };
};
const asRecorded = ({ type, data, metadata: { kept } }: KeptEvent): Recorded => ({
  ...kept,
  position: BigInt(kept.position),
  type,
  data,
});

async function rebuiltByEmmett(connectionString: string, projection: Projection<KeptEvent>): Promise<number> {
  const count = await inStoreOfEmmett(connectionString);
  let handled = 0;
  const { handle } = projection;
  const counted: Projection<KeptEvent> = {
    ...projection,
    handle: (events, context) => {
      handled += events.length;
      return handle(events, context);
    },
  };
  const began = performance.now();
  const consumer = rebuildPostgreSQLProjections({ connectionString, projections: [counted] });
  await consumer.start();
  const ms = performance.now() - began;
  await consumer.close();
  if (handled < count) throw new Error(`emmett received ${handled} of ${count} events.`);
  return ms;
}

/** Copies the whole log once. Returns the number of events. */
async function inStoreOfEmmett(connectionString: string): Promise<number> {
  const store = getPostgreSQLEventStore(connectionString);
  await store.schema.migrate();
  const streams = new Map<string, KeptEvent[]>();
  let count = 0;
  for await (const batch of log(connectionString)) {
    for (const event of batch) {
      const { stream, type, data, position, stored, actor, ...rest } = event;
      const kept = { ...rest, stream, type, stored, actor, position: String(position) };
      streams.set(stream, [...(streams.get(stream) ?? []), { type, data: data as object, metadata: { kept } }]);
      count += 1;
    }
  }
  for (const [stream, events] of streams)
    if (!(await store.streamExists(stream))) await store.appendToStream(stream, events);
  await store.close();
  return count;
}

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
};

/** Inserts the values into the text of a statement, like emmett’s own driver, dumbo. */
const rendered = (text: string, values: readonly unknown[]) =>
  rawSql(text.replace(/\$(\d+)/g, (_, n) => literal(values[n - 1])));
