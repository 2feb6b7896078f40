// One site as it is served by a process that knows a hundred thousand hostnames of people's own, beside one that knows
// none: by its own host, and by one of the names.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../append/postgres.mjs';
import { appendDomains } from './append-domains.mjs';
import { get, stele } from './contestants.mjs';
import { median, ROUNDS, ratioOf, rounds, SECONDS } from './rounds.mjs';

const HOSTNAMES = Number(process.env.STELE_BENCH_HOSTNAMES ?? 100_000);
const PROMISED = 0.95;
/** Without a worker: it would look for the records of so many names in DNS, which is not what is measured. */
const ROLES = 'api,serve,projector';

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-hostnames-'));
const postgres = await startPostgres();
const running = [];
const started = async (server) => {
  running.push(await server);
  return running.at(-1);
};

/** Those that the process knows from the rows, as it does after a start, or from the events. */
async function untilShown(server, hostname) {
  for (const end = performance.now() + 300_000; ; await pause(200)) {
    const { status } = await get({ ...server, host: hostname }, '/small.html');
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${hostname} returned ${status}.`);
  }
}

async function untilQuiet(server) {
  for (let before = 0, now = await server.cpuSeconds(); now - before > 0.1; now = await server.cpuSeconds()) {
    before = now;
    await pause(2_000);
  }
}

let kept = true;
try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; one core each, one for wrk`);
  const DATABASE_URL = await postgres.database('hostnames');
  const env = { STELE_ROLES: ROLES };
  const without = await started(stele(folder, 'none', { ...env, DATABASE_URL: await postgres.database('none') }));
  const server = await started(stele(folder, 'hostnames', { ...env, DATABASE_URL }));
  const service = { port: server.port, host: `localhost:${server.port}` };
  const { id } = JSON.parse((await get(service, '/v1/sites/bench')).body);
  const began = performance.now();
  const names = await appendDomains(DATABASE_URL, id, HOSTNAMES);
  await untilShown(server, names.at(-1));
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${HOSTNAMES} hostnames became active after ${seconds.toFixed(0)} s.`);
  // Read models are made of the events meanwhile, on the core that is measured.
  await untilQuiet(server);

  const target = { path: '/small.html' };
  const figures = await rounds([
    { key: 'none', server: without, target },
    { key: 'its own host', server, target },
    { key: 'one of them', server: { ...server, host: names[HOSTNAMES >> 1] }, target },
  ]);
  console.log(`Median of ${ROUNDS} interleaved rounds of ${SECONDS} s, 64 connections that stay open.`);
  for (const [name, { perSecond, cpu }] of figures)
    console.log(`  ${name.padEnd(14)} ${Math.round(median(perSecond))}/s  ${median(cpu).toFixed(1)} µs of CPU`);
  const [none, ownHost, hostname] = [...figures.values()].map(({ perSecond }) => perSecond);
  for (const [name, ours] of Object.entries({ 'by its own host': ownHost, 'by one of them': hostname })) {
    const ratio = ratioOf(ours, none);
    kept &&= ratio >= PROMISED;
    const missed = ratio >= PROMISED ? '' : '  MISSED';
    console.log(`    ${ratio.toFixed(2)} × without hostnames, ${name} (target: ${PROMISED})${missed}`);
  }
} finally {
  for (const server of running) await server.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exitCode = kept ? 0 : 1;
