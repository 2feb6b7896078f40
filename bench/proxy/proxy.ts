import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, ratioOf, Targets } from '../figures.ts';
import { LOAD_CORE, run, type Server } from '../serve/contestants.ts';
import { ROUNDS, rounds, SECONDS } from '../serve/rounds.ts';
import { caddyProxy, nginxProxy, program, stele } from './contestants.ts';
import { roundTrips } from './round-trips.ts';

const TRIPS = Number(process.env.STELE_BENCH_TRIPS ?? 2_000);
/** Target: additional round-trip time of a message through the product, in milliseconds. */
const LONGER = 0.2;

const cases: { name: string; path: string; promises: { peer: string; ratio: number }[] }[] = [
  {
    name: '1 KiB',
    path: '/small.html',
    promises: [
      { peer: 'nginx', ratio: 0.6 },
      { peer: 'caddy', ratio: 2 },
    ],
  },
  { name: '1 MiB', path: '/large.bin', promises: [] },
];

const targets = new Targets();
const promise = (text: string, isKept: boolean) => console.log(`    ${text}${targets.verdict(isKept)}`);

async function compare(servers: readonly Server[]): Promise<void> {
  for (const { name, path, promises } of cases) {
    const figures = await rounds(servers.map((server) => ({ key: server.name, server, target: { path } })));
    console.log(name);
    for (const [key, { perSecond, cpu }] of figures) {
      const each = `${Math.round(median(perSecond)).toString().padStart(7)}/s`;
      console.log(`  ${key.padEnd(8)} ${each}  ${median(cpu).toFixed(1).padStart(7)} µs of CPU`);
    }
    const ours = figures.get('stele')?.perSecond ?? [];
    for (const peer of ['nginx', 'caddy']) {
      const ratio = ratioOf(ours, figures.get(peer)?.perSecond ?? []);
      const promised = promises.find((each) => each.peer === peer)?.ratio;
      if (promised === undefined) console.log(`    ${ratio.toFixed(2)} × ${peer}`);
      else promise(`${ratio.toFixed(2)} × ${peer} (target: ${promised})`, ratio >= promised);
    }
  }
}

async function compareRoundTrips(server: Server, socketPath: string): Promise<void> {
  const direct: number[] = [];
  const through: number[] = [];
  const host = { host: `echo.localhost:${server.port}` };
  for (let round = 0; round <= ROUNDS; round++) {
    const [straight, proxied] = [
      await roundTrips(`ws+unix:${socketPath}:/`, {}, TRIPS),
      await roundTrips(`ws://127.0.0.1:${server.port}/`, host, TRIPS),
    ];
    // The first round only warms up.
    if (round === 0) continue;
    direct.push(median(straight));
    through.push(median(proxied));
  }
  const [straight, proxied] = [median(direct), median(through)];
  const longer = median(through.map((ms, round) => ms - direct[round]!));
  console.log(
    `WebSocket, round trip of a message\n  direct   ${straight.toFixed(3)} ms\n  stele    ${proxied.toFixed(3)} ms`,
  );
  promise(`${longer.toFixed(3)} ms more (target: at most ${LONGER})`, longer <= LONGER);
}

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-proxy-'));
const running: Server[] = [];
async function started<Started extends Server>(starting: Promise<Started>): Promise<Started> {
  const server = await starting;
  running.push(server);
  return server;
}
try {
  const www = join(folder, 'www');
  await mkdir(www);
  await writeFile(join(www, 'small.html'), randomBytes(512).toString('hex'));
  await writeFile(join(www, 'large.bin'), randomBytes(1_048_576));
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; one core each, one for wrk and the program`,
  );
  console.log(`Median of ${ROUNDS} interleaved rounds of ${SECONDS} s, 64 connections that stay open.\n`);
  const behind = await started(program(folder, www));
  const echoes = join(folder, 'echo.sock');
  const echo = fileURLToPath(new URL('echo.ts', import.meta.url));
  await started(run('echo', [process.execPath, echo, echoes], { printed: /^(\d)$/m, core: LOAD_CORE }));
  const ours = await started(stele(folder, { program: behind.socketPath, echo: echoes }));
  const peers = [await started(nginxProxy(folder, behind)), await started(caddyProxy(folder, behind))];
  await compare([ours, ...peers]);
  await compareRoundTrips(ours, echoes);
} finally {
  for (const server of running.toReversed()) await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exitCode = targets.areMet ? 0 : 1;
