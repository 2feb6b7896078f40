import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { catalogue, isChained } from '../events/catalogue.js';
import type { EventStore } from '../kernel/event-store.js';
import { formatNumber, plural } from '../kernel/output/quantities.js';
import { announceRebuild } from '../process/start/announce-rebuild.js';
import { Checkpoints } from '../projections/projector/checkpoints.js';
import { DeadLetterStore } from '../projections/projector/dead-letters.js';
import { Projector } from '../projections/projector/projector.js';
import { ReadModelTable } from '../projections/projector/read-model-table.js';
import type { AnyReadModel } from '../projections/read-model.js';
import { allReadModels } from '../projections/read-models.js';
import { Rebuilder } from '../projections/rebuild/rebuilder.js';
import type { Verification } from '../projections/rebuild/verifier.js';
import { buildTableOptions } from '../projections/table-names.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { type Database, forTypeOrm } from '../storage/postgres/open-database.js';
import { refuseNewerData } from '../storage/store/newer-data/newer-data.js';
import { PostgresEngine } from '../storage/store/postgres/postgres.engine.js';
import { CommandStop } from './command-stop.js';

/**
 * Opens and starts the event store that a service with these settings would use. Passes the reason to `say` when it has
 * to wait. Throws `NewerDataError` if a newer version wrote data that this version cannot read.
 */
async function openStore(
  { eventStoreUrl: url }: Settings,
  pool: Pool,
  say: (message: string) => void,
): Promise<EventStore & { stop(): Promise<void> }> {
  await refuseNewerData(pool, { catalogue, eventStoreUrl: url });
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url === null) {
    const store = new PostgresEngine({ pool, ...recording });
    await store.start();
    return store;
  }
  const { KurrentEngine } = await import('../storage/store/kurrent/kurrent.engine.js');
  const store = new KurrentEngine({ url, say, ...recording });
  await store.start();
  return store;
}

const NAMES = allReadModels.map(({ name }) => name).join(', ');

const USAGE = `npm run projections -- status
npm run projections -- rebuild NAME…
npm run projections -- verify NAME…
npm run projections -- retry NAME…

  status    shows the position of each read model, the streams it has stopped on, and running rebuilds.
  rebuild   rebuilds read models from the first event in new tables, then swaps these for the current ones.
            Run with a newer version of Stele, it builds the tables of that version before you start it.
  verify    replays the log and compares the result with the tables, row by row.
  retry     applies events that could not be applied before.

  NAME is one or more of ${NAMES}. Without a name, all read models are used.
  The commands work with or without a running service. Results go to standard output, progress to standard error.

  0  done; verify: the tables match the log
  1  failed: an event cannot be applied, the database is not responding, or another rebuild is running
  2  verify: a table does not match the log; retry: some events still cannot be applied
  64 invalid arguments
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
      const { applied, left } = await new DeadLetterStore(model, new ReadModelTable(db, model)).retry(
        database.pool,
        store,
      );
      show(`${model.name}: ${plural(applied, 'stream')} resumed, ${formatNumber(left)} still stopped`);
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
      show(
        `${name}  not built yet. It is built when the service starts, or by: npm run projections -- rebuild ${model.name}`,
      );
      continue;
    }
    const position = await checkpoints.read(model);
    const letters = await new DeadLetterStore(model, new ReadModelTable(db, model)).list(database.pool);
    show(
      `${name}  at ${position}, ${end - position} behind${letters.length > 0 ? `, ${plural(letters.length, 'stream')} stopped` : ''}`,
    );
    for (const { stream, position, type, error } of letters.slice(0, 20)) {
      show(`  ${stream} stopped at position ${position} (${type}): ${error}`);
    }
  }
  for (const { model, version, state, table, position, last, events, isAlive, updatedAt } of await rebuilder.states()) {
    const what = `${model} version ${version}, table ${table}`;
    if (state === 'replaced') show(`${what}: replaced at ${updatedAt.toISOString()}, will be dropped after an hour`);
    else if (isAlive) show(`${what}: ${state}, at ${position} of ${last}, ${plural(BigInt(events), 'event')}`);
    else show(`${what}: left by an interrupted rebuild, will be removed by the next one`);
  }
  return 0;
}

function showVerification({ model, position, rows, digest, expectedRows, expectedDigest, differences }: Verification) {
  if (digest === expectedDigest) {
    show(`${model}: matches the log at position ${position}, ${plural(rows, 'row')}, digest ${digest}`);
    return;
  }
  show(
    `${model}: DOES NOT MATCH the log at position ${position}: found ${plural(rows, 'row')} (digest ${digest}), expected ${formatNumber(expectedRows)} (digest ${expectedDigest})`,
  );
  for (const { key, actual, expected } of differences) {
    show(`  ${key}`);
    show(`    found     ${actual ?? 'no row'}`);
    show(`    expected  ${expected ?? 'no row'}`);
  }
}

async function run(
  command: (services: ProjectionServices, models: readonly AnyReadModel[]) => Promise<number>,
  models: readonly AnyReadModel[],
) {
  const stopping = new CommandStop({ message: 'Interrupted. Nothing was changed.', waits: true });
  const settings = readSettings(process.env);
  const database = await stopping.openDatabase({
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
  const db = new DataSource({ ...forTypeOrm(database, { max: 1 }), ...buildTableOptions(allReadModels) });
  try {
    await db.initialize();
    const checkpoints = new Checkpoints(pool, allReadModels);
    await new Projector(store, pool, db, checkpoints).prepare([]);
    const rebuilder = new Rebuilder(store, pool, db, allReadModels);
    return await command({ database, db, store, checkpoints, rebuilder, signal: stopping.signal }, models);
  } finally {
    if (db.isInitialized) await db.destroy();
    await store.stop();
    await database.close();
  }
}

const [verb = '', ...names] = process.argv.slice(2);
const command = commands[verb];
const unknown = names.filter((name) => !allReadModels.some((model) => model.name === name));
if (!command || unknown.length > 0) {
  if (command) say(`Unknown read model: ${unknown.join(', ')}. The read models are ${NAMES}.\n`);
  say(USAGE);
  process.exitCode = verb === '' || verb === '--help' ? 0 : 64;
} else {
  const models = names.length === 0 ? allReadModels : allReadModels.filter(({ name }) => names.includes(name));
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
