// Measures the cost of recording visits. Compares a process that records and counts visits with one that does not. Each
// serves a file of 1 KiB and shares one core with its database, and they take turns. Then runs a flood, and measures
// memory use and the resulting rows. Exits with an error if a target is missed.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, ratioOf, Targets } from '../figures.ts';
import { pg } from '../product.ts';
import { get, LOAD_CORE, type Server, stele } from './contestants.ts';
import { files } from './files.ts';
import { type Figures, ROUNDS } from './rounds.ts';

const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 3);
const FLOOD_SECONDS = Number(process.env.STELE_BENCH_FLOOD_SECONDS ?? 20);

/**
 * Minimum ratio of the requests per second with recording to those without recording. The service and its database
 * share a core.
 */
const PROMISED = 0.95;
/** Maximum growth of memory during a flood, in bytes. */
const MOST_MORE = 96 * 1_048_576;

const visitors = fileURLToPath(new URL('visitors.ts', import.meta.url));

const none = (): Figures => ({ perSecond: [], cpu: [] });

async function load(server: Server, kind: string, seconds: number) {
  const before = await server.cpuSeconds();
  const args = ['-c', LOAD_CORE, process.execPath, visitors, server.port, server.host, kind, seconds].map(String);
  const { stdout } = await promisify(execFile)('taskset', args);
  const requests = Number(stdout);
  if (!requests) throw new Error(`${server.name} did not respond: ${stdout}`);
  return { perSecond: requests / seconds, cpu: (((await server.cpuSeconds()) - before) * 1e6) / requests };
}

async function site(server: Server, isCounted: boolean): Promise<Server> {
  const service = { port: server.port, host: `localhost:${server.port}` };
  const pages = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`page-${n}.html`, files['small.html']]));
  const body = JSON.stringify({
    files: Object.entries({ ...pages, 'small.html': files['small.html'] }).map(([path, bytes]) => ({
      path,
      content: String(bytes),
    })),
  });
  const json = { 'content-type': 'application/json' };
  const answer = await get(service, '/v1/deploy?slug=visited', json, { method: 'POST', body });
  const made: { editToken: string } = JSON.parse(answer.body.toString());
  if (isCounted) {
    const answer = await get(
      service,
      '/v1/sites/visited/capabilities',
      { ...json, 'x-svc-edit-token': made.editToken },
      { method: 'POST', body: JSON.stringify({ name: 'analytics', enabled: true }) },
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  }
  return { ...server, host: `visited.localhost:${server.port}` };
}

const residentBytes = async ({ pid }: Server) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-recorded-'));
const running: Server[] = [];
async function started<Started extends Server>(starting: Promise<Started>): Promise<Started> {
  const server = await starting;
  running.push(server);
  return server;
}
const targets = new Targets();

async function query<Row extends Record<string, string | null>>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ host: join(folder, 'on', 'postgres', 'data'), user: 'postgres', database: 'stele' });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const dropped = async () =>
  Number((await query<{ hits: string | null }>('select sum(hits) as hits from access_dropped'))[0]?.hits ?? 0);

try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; one core, one for the visitors`);
  console.log(`Median of ${ROUNDS} interleaved rounds of ${SECONDS} s, 64 connections that stay open.\n`);
  const off = await site(await started(stele(folder, 'off', { STELE_ACCESS_KEPT: '0' })), false);
  const on = await site(await started(stele(folder, 'on')), true);
  for (const kind of ['one', 'crowd']) {
    const figures = { off: none(), on: none() };
    const measured = [
      { server: off, found: figures.off },
      { server: on, found: figures.on },
    ];
    for (let round = -1; round < ROUNDS; round++)
      for (const { server, found } of round % 2 ? measured : measured.toReversed()) {
        const { perSecond, cpu } = await load(server, kind, SECONDS);
        if (round < 0) continue;
        found.perSecond.push(perSecond);
        found.cpu.push(cpu);
      }
    console.log(kind === 'one' ? 'one visitor, one page' : 'a thousand browsers, fifty pages');
    for (const [name, { perSecond, cpu }] of Object.entries(figures))
      console.log(
        `  ${name.padEnd(4)} ${Math.round(median(perSecond)).toString().padStart(7)}/s  ${median(cpu).toFixed(1).padStart(6)} µs of CPU`,
      );
    const ratio = ratioOf(figures.on.perSecond, figures.off.perSecond);
    const byCpu = ratioOf(figures.off.cpu, figures.on.cpu);
    console.log(
      `    ${ratio.toFixed(3)} × without, by CPU ${byCpu.toFixed(3)} × (target: ${PROMISED})${targets.verdict(ratio >= PROMISED)}`,
    );
  }

  const lost = await dropped();
  const { perSecond: some, cpu } = await load(on, 'some', 5);
  await pause(2_500);
  const more = (await dropped()) - lost;
  console.log(
    `some: ${Math.round(some)}/s, ${cpu.toFixed(1)} µs of CPU; ${more} of them not recorded (target: 0)${targets.verdict(more === 0)}`,
  );

  for (const kind of ['flood', 'heavy']) {
    const before = await residentBytes(on);
    let most = before;
    const over = load(on, kind, FLOOD_SECONDS);
    const looking = setInterval(async () => {
      most = Math.max(most, await residentBytes(on));
    }, 100);
    const { perSecond, cpu } = await over;
    clearInterval(looking);
    await pause(3_000);
    const mib = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`;
    const verdict = targets.verdict(most - before <= MOST_MORE);
    console.log(
      `${kind}: ${Math.round(perSecond)}/s, ${cpu.toFixed(1)} µs of CPU; memory ${mib(before)} before, ${mib(most)} at most, ${mib(await residentBytes(on))} after${verdict}`,
    );
  }
  const [row] = await query<Record<'entries' | 'hits' | 'dropped' | 'size', string | null>>(
    `select count(*) as entries, sum(hits) as hits, (select sum(hits) from access_dropped) as dropped,
       (select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) from pg_inherits
        where inhparent = 'access_entries'::regclass) as size
     from access_entries`,
  );
  console.log(
    `\nIn the tables: ${row?.entries} entries of ${row?.hits} requests (${row?.size}); ${row?.dropped ?? 0} counted alone.`,
  );
} finally {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exitCode = targets.areMet ? 0 : 1;
