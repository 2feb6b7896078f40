import { DataSource } from 'typeorm';
import type { EventStore } from '../kernel/event-store.js';
import { type Database, forTypeOrm, openDatabase } from '../postgres/open-database.js';
import { announceRebuild } from '../process/start/announce-rebuild.js';
import { Checkpoints } from '../projections/projector/checkpoints.js';
import { DeadLetters } from '../projections/projector/dead-letters.js';
import { Projector } from '../projections/projector/projector.js';
import { ReadModelTable } from '../projections/projector/read-model-table.js';
import type { AnyReadModel } from '../projections/read-model.js';
import { readModels } from '../projections/read-models.js';
import { Rebuilder } from '../projections/rebuild/rebuilder.js';
import type { Verification } from '../projections/rebuild/verifier.js';
import { tablesOf } from '../projections/table-names.js';
import { readSettings } from '../settings.js';
import { openStore } from './open-store.js';

const NAMES = readModels.map(({ name }) => name).join(', ');

const USAGE = `npm run projections -- status
npm run projections -- rebuild NAME…
npm run projections -- verify NAME…
npm run projections -- retry NAME…

  status    how far each read model is, what it has stopped at, and what is being rebuilt.
  rebuild   builds them anew from the first event, beside the tables that are read, and swaps them in.
            With a newer version of the product: builds their next version before it is started.
  verify    folds the log afresh and compares it with the tables, row by row.
  retry     applies what could not be applied before.

  NAME is one or more of ${NAMES}; without one: all of them.
  They work beside a running service, and without one. What they find goes to standard output, progress to standard error.

  0  done; equal
  1  not done: an event cannot be applied, the database does not answer, or another rebuild is under way
  2  verify: a table is not as the log says; retry: something still cannot be applied
  64 not understood
`;

const say = (message: string) => void process.stderr.write(`${message}\n`);
const show = (message: string) => void process.stdout.write(`${message}\n`);

type ProjectionServices = {
  readonly database: Database;
  readonly db: DataSource;
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  readonly rebuilder: Rebuilder;
  readonly signal: AbortSignal;
};

const commands: Record<string, (services: ProjectionServices, models: readonly AnyReadModel[]) => Promise<number>> = {
  status,
  rebuild: async ({ rebuilder, signal }, models) => {
    await rebuilder.rebuild(models, signal, announceRebuild());
    show(`Rebuilt: ${models.map(({ name, version }) => `${name} (version ${version})`).join(', ')}.`);
    return 0;
  },
  verify: async ({ rebuilder, signal }, models) => {
    const verifications = await rebuilder.verify(models, signal, announceRebuild());
    for (const verdict of verifications) showVerification(verdict);
    return verifications.every(({ digest, expectedDigest }) => digest === expectedDigest) ? 0 : 2;
  },
  retry: async ({ database, db, store }, models) => {
    let all = 0;
    for (const model of models) {
      const { applied, left } = await new DeadLetters(model, new ReadModelTable(db, model)).retry(database.pool, store);
      show(`${model.name}: ${applied} streams go on, ${left} still cannot`);
      all += left;
    }
    return all === 0 ? 0 : 2;
  },
};

async function status(
  { database, db, store, checkpoints, rebuilder }: ProjectionServices,
  models: readonly AnyReadModel[],
) {
  const end = await store.lastPosition();
  const missing = await rebuilder.missing(models);
  show(`The log ends at position ${end}.`);
  for (const model of models) {
    const name = `${model.name.padEnd(12)} version ${model.version}`;
    if (missing.includes(model)) {
      show(`${name}  not built yet: starting the service builds it, or: npm run projections -- rebuild ${model.name}`);
      continue;
    }
    const position = await checkpoints.read(model);
    const letters = await new DeadLetters(model, new ReadModelTable(db, model)).list(database.pool);
    show(
      `${name}  at ${position}, ${end - position} behind${letters.length > 0 ? `, ${letters.length} streams stopped` : ''}`,
    );
    for (const { stream, position, type, error } of letters.slice(0, 20)) {
      show(`  ${stream} stopped at position ${position} (${type}): ${error}`);
    }
  }
  for (const { model, version, state, table, position, last, events, isAlive, updatedAt } of await rebuilder.states()) {
    const what = `${model} version ${version}, table ${table}`;
    if (state === 'replaced') show(`${what}: replaced at ${updatedAt.toISOString()}, dropped after an hour`);
    else if (isAlive) show(`${what}: ${state}, at ${position} of ${last}, ${events} events`);
    else show(`${what}: left behind by one that was interrupted, cleared away by the next`);
  }
  return 0;
}

function showVerification({ model, position, rows, digest, expectedRows, expectedDigest, differences }: Verification) {
  if (digest === expectedDigest) {
    show(`${model}: equal at position ${position}, ${rows} rows, digest ${digest}`);
    return;
  }
  show(
    `${model}: NOT as the log says at position ${position}: ${rows} rows (digest ${digest}), due are ${expectedRows} (${expectedDigest})`,
  );
  for (const { key, actual, expected } of differences) {
    show(`  ${key}`);
    show(`    stands  ${actual ?? 'no row'}`);
    show(`    is due  ${expected ?? 'no row'}`);
  }
}

async function run(
  command: (services: ProjectionServices, models: readonly AnyReadModel[]) => Promise<number>,
  models: readonly AnyReadModel[],
) {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort(new Error('Interrupted; nothing was changed.')));
  process.once('SIGTERM', () => stopping.abort(new Error('Ended; nothing was changed.')));
  const settings = readSettings(process.env);
  const database = await openDatabase({
    url: settings.databaseUrl,
    dataFolder: settings.dataFolder,
    announce: 'npm run projections',
    beside: true,
    log: say,
  });
  const { pool } = database;
  const store = await openStore(settings, pool, say).catch(async (error) => {
    await database.close();
    throw error;
  });
  const db = new DataSource({ ...forTypeOrm(database, { max: 1 }), ...tablesOf(readModels) });
  try {
    await db.initialize();
    const checkpoints = new Checkpoints(pool, readModels);
    await new Projector(store, pool, db, checkpoints).prepare([]);
    const rebuilder = new Rebuilder(store, pool, db, readModels);
    return await command({ database, db, store, checkpoints, rebuilder, signal: stopping.signal }, models);
  } finally {
    if (db.isInitialized) await db.destroy();
    await store.stop();
    await database.close();
  }
}

const [verb = '', ...names] = process.argv.slice(2);
const command = commands[verb];
const unknown = names.filter((name) => !readModels.some((model) => model.name === name));
if (!command || unknown.length > 0) {
  if (command) say(`No read model is called ${unknown.join(', ')}. There are ${NAMES}.\n`);
  say(USAGE);
  process.exitCode = verb === '' || verb === '--help' ? 0 : 64;
} else {
  const models = names.length === 0 ? readModels : readModels.filter(({ name }) => names.includes(name));
  run(command, models).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      say(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    },
  );
}
