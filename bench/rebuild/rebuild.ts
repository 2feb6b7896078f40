import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../append/postgres.ts';
import { median, Targets } from '../figures.ts';
import { pg } from '../product.ts';
import { writeLog } from './log.ts';
import { emmett, emmettInSql, rawPg, typeorm } from './slow.ts';
import { digestOf, pureSql } from './sql.ts';
import type { Rebuilt } from './stele.ts';

const EVENTS = Number(process.env.STELE_BENCH_EVENTS ?? 1_000_000);
/**
 * Number of events for slow contestants. They rebuild only the beginning of the same history, and their figures are
 * scaled to its length.
 */
const FRACTION = Number(process.env.STELE_BENCH_FRACTION ?? 20_000);
const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 3);
const MEMORY = 256 * 2 ** 20;
const promises: Record<string, number> = {
  'TypeORM, a row at a time': 80,
  'raw pg, a row at a time': 8,
  'emmett’s rebuild': 100,
};
const LIMIT = 0.65;

const MODELS = ['site', 'history', 'membership'];
const perSecond = (events: number, ms: number) => (events / ms) * 1000;
const rate = (number: number) => `${Math.round(number).toLocaleString('en')}/s`;
const targets = new Targets();

/** Runs a rebuild in its own process, with the memory limit of the `projections` command. */
async function stele(url: string): Promise<Rebuilt> {
  const program = fileURLToPath(new URL('stele.ts', import.meta.url));
  const child = spawn(process.execPath, ['--max-semi-space-size=8', program, url, ...MODELS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error('The rebuild failed.');
  return JSON.parse(out);
}

const postgres = await startPostgres();
console.log(
  `${postgres.version}, fsync on, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`,
);

process.stderr.write(`Writing ${EVENTS} events…\n`);
const url = await postgres.database('rebuild');
const events = await writeLog(url, EVENTS);
const client = new pg.Client({ connectionString: url });
await client.connect();

const rounds: { ours: Rebuilt; sql: number }[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const ours = await stele(url);
  // Drops replaced tables, which would otherwise be written to disk while the next contestant is measured.
  const { rows } = await client.query("delete from rebuilds where state = 'replaced' returning table_name as name");
  for (const { name } of rows) await client.query(`drop table "${name}"`);
  await client.query('checkpoint');
  const sql = await pureSql(client);
  await client.query('checkpoint');
  rounds.push({ ours, sql });
}
const same = (await digestOf(client, 'public')) === (await digestOf(client, 'pure'));
await client.end();

const last = rounds.at(-1)?.ours;
const ours = median(rounds.map(({ ours }) => perSecond(events, ours.ms)));
const sql = median(rounds.map(({ sql }) => perSecond(events, sql)));
const reached = median(rounds.map(({ ours, sql }) => sql / ours.ms));
const peak = Math.max(...rounds.map(({ ours }) => ours.peak));
console.log(`${events.toLocaleString('en')} events into ${MODELS.join(', ')}; median of ${ROUNDS} rounds:\n`);
console.log(
  `  stele                      ${rate(ours)}   ${JSON.stringify(last?.phases)} ms, ${Math.round(last?.cpuMs ?? 0)} ms of one processor`,
);
console.log(`  INSERT … SELECT            ${rate(sql)}`);
console.log(`    ${reached.toFixed(2)} × (target: ${LIMIT})${targets.verdict(reached >= LIMIT)}`);
console.log(`    the same rows: ${same ? 'yes' : 'NO'}${targets.verdict(same)}`);
console.log(
  `    peak memory ${Math.round(peak / 2 ** 20)} MiB (target: ${MEMORY / 2 ** 20})${targets.verdict(peak <= MEMORY)}\n`,
);

console.log(`  extrapolated from the first ${FRACTION.toLocaleString('en')} events:`);
const part = await postgres.database('rebuild_part');
const first = await writeLog(part, FRACTION);
const beside = new pg.Client({ connectionString: part });
await beside.connect();
await stele(part);
const due = await digestOf(beside, 'public');
const peers: Record<string, [run: typeof typeorm, schema: string]> = {
  'TypeORM, a row at a time': [typeorm, 'typeorm'],
  'raw pg, a row at a time': [rawPg, 'rawpg'],
  'emmett’s rebuild': [emmett, 'pongo'],
  'emmett’s rebuild in SQL': [emmettInSql, 'emmett'],
};
for (const [name, [run, schema]] of Object.entries(peers)) {
  const peer = perSecond(first, await run(part, beside));
  const equal = (await digestOf(beside, schema)) === due;
  const times = ours / peer;
  const promised = promises[name];
  const held = promised === undefined ? '' : ` (target: ${promised})${targets.verdict(times >= promised)}`;
  console.log(
    `  ${name.padEnd(26)} ${rate(peer)}, ${times.toFixed(1)} ×${held}, the same rows: ${equal ? 'yes' : 'NO'}${targets.verdict(equal)}`,
  );
}
await beside.end();
await postgres.stop();
process.exitCode = targets.areMet ? 0 : 1;
