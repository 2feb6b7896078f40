// Compares two processes that serve the same site: one with a hundred thousand custom hostnames, and one without any.
// The first process is measured both at the site's own host and at a custom hostname.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../append/postgres.ts';
import { median, ratioOf, Targets } from '../figures.ts';
import { appendDomains } from './append-domains.ts';
import { get, type Server, stele, type Target } from './contestants.ts';
import { ROUNDS, rounds, SECONDS } from './rounds.ts';

const HOSTNAMES = Number(process.env.STELE_BENCH_HOSTNAMES ?? 100_000);
const PROMISED = 0.95;
/**
 * Roles of the measured process. The worker role is left out, because a worker would look up the DNS records of all
 * hostnames.
 */
const ROLES = 'api,serve,projector';

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-hostnames-'));
const postgres = await startPostgres();
const running: Server[] = [];
async function started<Started extends Server>(starting: Promise<Started>): Promise<Started> {
  const server = await starting;
  running.push(server);
  return server;
}

/** Waits until a hostname is served. The process learns about hostnames from the read models and from events. */
async function untilShown(server: Target, hostname: string): Promise<void> {
  for (const end = performance.now() + 300_000; ; await pause(200)) {
    const { status } = await get({ ...server, host: hostname }, '/small.html');
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${hostname} returned ${status}.`);
  }
}

async function untilQuiet(server: Server): Promise<void> {
  for (let before = 0, now = await server.cpuSeconds(); now - before > 0.1; now = await server.cpuSeconds()) {
    before = now;
    await pause(2_000);
  }
}

const targets = new Targets();
try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; one core each, one for wrk`);
  const DATABASE_URL = await postgres.database('hostnames');
  const env = { STELE_ROLES: ROLES };
  const without = await started(stele(folder, 'none', { ...env, DATABASE_URL: await postgres.database('none') }));
  const server = await started(stele(folder, 'hostnames', { ...env, DATABASE_URL }));
  const service = { port: server.port, host: `localhost:${server.port}` };
  const { id }: { id: string } = JSON.parse((await get(service, '/v1/sites/bench')).body.toString());
  const began = performance.now();
  const names = await appendDomains(DATABASE_URL, id, HOSTNAMES);
  await untilShown(server, names.at(-1) ?? '');
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${HOSTNAMES} hostnames became active after ${seconds.toFixed(0)} s.`);
  // Waits until the read models are up to date, because updating them uses the measured core.
  await untilQuiet(server);

  const target = { path: '/small.html' };
  const figures = await rounds([
    { key: 'none', server: without, target },
    { key: 'its own host', server, target },
    { key: 'one of them', server: { ...server, host: names[HOSTNAMES >> 1] ?? '' }, target },
  ]);
  console.log(`Median of ${ROUNDS} interleaved rounds of ${SECONDS} s, 64 connections that stay open.`);
  for (const [name, { perSecond, cpu }] of figures)
    console.log(`  ${name.padEnd(14)} ${Math.round(median(perSecond))}/s  ${median(cpu).toFixed(1)} µs of CPU`);
  const rates = (key: string) => figures.get(key)?.perSecond ?? [];
  for (const [name, key] of Object.entries({ 'by its own host': 'its own host', 'by one of them': 'one of them' })) {
    const ratio = ratioOf(rates(key), rates('none'));
    const missed = targets.verdict(ratio >= PROMISED);
    console.log(`    ${ratio.toFixed(2)} × without hostnames, ${name} (target: ${PROMISED})${missed}`);
  }
} finally {
  for (const server of running) await server.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exitCode = targets.areMet ? 0 : 1;
