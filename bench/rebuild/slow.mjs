import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { rawSql } from '@event-driven-io/dumbo';
import {
  getPostgreSQLEventStore,
  pongoProjection,
  postgreSQLRawSQLProjection,
  rebuildPostgreSQLProjections,
} from '@event-driven-io/emmett-postgresql';
import { built, pg } from '../append/product.mjs';
import { tables } from './sql.mjs';

const require = createRequire(new URL('../../package.json', import.meta.url));
const { DataSource } = require('typeorm');
const product = (path) => import(new URL(path, built));
const { catalogue, isChained } = await product('events/catalogue.js');
const { readModels } = await product('projections/read-models.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const NAMES = ['site', 'history', 'membership'];
const models = readModels.filter(({ name }) => NAMES.includes(name));
const A_TRANSACTION = 500;

/** The log in batches of 500, read in the product’s own way: the peers differ in how they write. */
async function* log(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 2 });
  const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text) => hash('sha256', text) });
  const last = await store.lastPosition();
  let batch = [];
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

/** The names and properties of each model’s columns, from its declaration. */
async function declared(connectionString, schema) {
  const source = new DataSource({
    type: 'postgres',
    url: connectionString,
    schema,
    entities: models.map(({ entity }) => entity),
  });
  await source.initialize();
  return source;
}

/** TypeORM as its documentation has it: find, change, save, one row at a time, 500 events in a transaction. */
export async function typeorm(connectionString, client) {
  await tables(client, 'typeorm', true);
  const source = await declared(connectionString, 'typeorm');
  const began = performance.now();
  for await (const batch of log(connectionString)) {
    await source.transaction(async (manager) => {
      for (const event of batch) {
        for (const model of models) {
          const repository = manager.getRepository(model.entity);
          const [{ propertyName }] = repository.metadata.primaryColumns;
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

/** Statements for one row of each model. */
function statementsOf(source, schema) {
  return models.map((model) => {
    const { columns, primaryColumns, tableName } = source.getMetadata(model.entity);
    const table = `${schema}.${tableName}`;
    const names = columns.map(({ databaseName }) => databaseName);
    const key = primaryColumns[0].databaseName;
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

/** pg with prepared statements, one row at a time, 500 events in a transaction. */
export async function rawPg(connectionString, client) {
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
              values: properties.map((property) => after[property]),
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

/**
 * emmett’s own rebuild of the same events in its own store, as its own tests have it: a fold over documents, which
 * Pongo stores.
 */
export async function emmett(connectionString, client) {
  await tables(client, 'pongo', true);
  const source = await declared(connectionString, 'pongo');
  const kept = models.map((model) => ({ model, times: timesOf(source.getMetadata(model.entity)) }));
  const ms = await rebuiltByEmmett(
    connectionString,
    pongoProjection({
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
    const { times } = kept.find((each) => each.model === model);
    const { rows } = await client.query(`select data from bench_${model.name}`);
    for (const { data } of rows) {
      const row = rowOf(data, times);
      await client.query(
        upsert,
        properties.map((property) => row[property]),
      );
    }
  }
  await source.destroy();
  return ms;
}

const timesOf = ({ columns }) =>
  columns.filter(({ type }) => type === 'timestamptz').map(({ propertyName }) => propertyName);

/** A document, in which times are texts, as in JSON. */
function rowOf(document, times) {
  if (!document) return undefined;
  const { _id, _version, ...row } = document;
  for (const time of times) if (row[time]) row[time] = new Date(row[time]);
  return row;
}

/** emmett’s rebuild with SQL that is written by hand. */
export async function emmettInSql(connectionString, client) {
  await tables(client, 'emmett', true);
  const source = await declared(connectionString, 'emmett');
  const statements = statementsOf(source, 'emmett');
  const ms = await rebuiltByEmmett(
    connectionString,
    postgreSQLRawSQLProjection({
      name: 'rows',
      canHandle,
      evolve: async (event, { execute }) => {
        const recorded = asRecorded(event);
        const all = [];
        for (const { model, properties, select, upsert, remove } of statements) {
          for (const key of model.touches(recorded)) {
            const row = model.appendOnly ? undefined : (await execute.query(rendered(select, [key]))).rows[0];
            const after = model.evolve(row, recorded, key);
            const values = after ? properties.map((property) => after[property]) : [key];
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
const asRecorded = ({ type, data, metadata: { kept } }) => ({ ...kept, type, data });

async function rebuiltByEmmett(connectionString, projection) {
  const count = await inStoreOfEmmett(connectionString);
  let handled = 0;
  const { handle } = projection;
  const counted = {
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

/** Copies the whole log, once. Returns the number of events. */
async function inStoreOfEmmett(connectionString) {
  const store = getPostgreSQLEventStore(connectionString);
  await store.schema.migrate();
  const streams = new Map();
  let count = 0;
  for await (const batch of log(connectionString)) {
    for (const event of batch) {
      const { stream, type, data, position, stored, actor, ...rest } = event;
      const kept = { ...rest, stream, type, stored, actor, position: String(position) };
      streams.set(stream, [...(streams.get(stream) ?? []), { type, data: { ...data }, metadata: { kept } }]);
      count += 1;
    }
  }
  for (const [stream, events] of streams)
    if (!(await store.streamExists(stream))) await store.appendToStream(stream, events);
  await store.close();
  return count;
}

const literal = (value) => {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
};

/** A statement with the values in its text, as emmett’s own driver, dumbo, sends them too. */
const rendered = (text, values) => rawSql(text.replace(/\$(\d+)/g, (_, n) => literal(values[n - 1])));
