import { hash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { pg, product } from '../product.ts';

/**
 * Figures of a rebuild: its duration, the durations of its phases and its CPU time in milliseconds, and memory in
 * bytes.
 */
export type Rebuilt = { ms: number; phases: Record<string, number>; cpuMs: number; peak: number; before: number };

/** Runs one rebuild in its own process, to measure its memory. Prints the figures of the rebuild. */
const { catalogue, isChained } = await product('events/catalogue.js');
const { Checkpoints } = await product('projections/projector/checkpoints.js');
const { Projector } = await product('projections/projector/projector.js');
const { allReadModels } = await product('projections/read-models.js');
const { Rebuilder } = await product('projections/rebuild/rebuilder.js');
const { buildTableOptions } = await product('projections/table-names.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const [connectionString = '', ...names] = process.argv.slice(2);
const models = allReadModels.filter(({ name }) => names.includes(name));
const pool = new pg.Pool({ connectionString, max: 4 });
const digest = (text: string) => hash('sha256', text);
const store = new PostgresEngine({ pool, catalogue, isChained, digest });
await store.start();
const db = await new DataSource({
  type: 'postgres',
  url: connectionString,
  ...buildTableOptions(allReadModels),
}).initialize();
await new Projector(store, pool, db, new Checkpoints(pool, models)).prepare([]);
const rebuilder = new Rebuilder(store, pool, db, models);

const before = process.resourceUsage().maxRSS * 1024;
const phases: Record<string, number> = {};
let began = performance.now();
const start = began;
let phase: string = 'reading';
await rebuilder.rebuild(models, new AbortController().signal, (progress) => {
  if (progress.phase === phase) return;
  phases[phase] = Math.round(performance.now() - began);
  began = performance.now();
  phase = progress.phase;
});
phases[phase] = Math.round(performance.now() - began);
const ms = performance.now() - start;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuMs = (userCPUTime + systemCPUTime) / 1000;
const rebuilt: Rebuilt = { ms, phases, cpuMs, peak: maxRSS * 1024, before };
console.log(JSON.stringify(rebuilt));
await db.destroy();
await store.stop();
await pool.end();
