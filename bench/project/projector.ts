import { hash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { pg, product } from '../product.ts';

/** A process that only updates the read models, until its standard input ends. */
const { catalogue, isChained } = await product('events/catalogue.js');
const { logBackgroundTasks } = await product('kernel/faults/background-task.js');
const { Checkpoints } = await product('projections/projector/checkpoints.js');
const { Projector } = await product('projections/projector/projector.js');
const { allReadModels } = await product('projections/read-models.js');
const { buildTableOptions } = await product('projections/table-names.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const [connectionString = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 16 });
const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text: string) => hash('sha256', text) });
await store.start();
const db = await new DataSource({
  type: 'postgres',
  url: connectionString,
  ...buildTableOptions(allReadModels),
}).initialize();
const stopping = new AbortController();
const projector = new Projector(store, pool, db, new Checkpoints(pool, allReadModels));
logBackgroundTasks(console.error);
await projector.start(allReadModels, stopping.signal);
console.log('keeping');
process.stdin
  .on('end', async () => {
    stopping.abort();
    await projector.stopped();
    await store.stop();
    await db.destroy();
    await pool.end();
  })
  .resume();
