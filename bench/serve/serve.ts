import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, ratioOf, Targets } from '../figures.ts';
import { caddy, folderOfFiles, get, nginx, npm, type Server, type SteleServer, stele } from './contestants.ts';
import { filesOfSite } from './files.ts';
import type { Load } from './load.ts';
import { ROUNDS, rounds, SECONDS } from './rounds.ts';

const SITES = Number(process.env.STELE_BENCH_SITES ?? 10_000);

/** A kind of request, and its targets: the product's figure must be at least `ratio` times that of the peer. */
type Case = {
  name: string;
  path: string;
  headers?: Record<string, string>;
  conditional?: boolean;
  without?: string[];
  promises: { peer: string; ratio: number; by?: 'cpu' }[];
};
const cases: Case[] = [
  {
    name: '1 KiB',
    path: '/small.html',
    promises: [
      { peer: 'nginx', ratio: 0.6 },
      { peer: 'caddy', ratio: 2.3 },
    ],
  },
  { name: '64 KiB', path: '/large.png', promises: [{ peer: 'nginx', ratio: 0.8, by: 'cpu' }] },
  {
    name: '304',
    path: '/small.html',
    conditional: true,
    // serve-handler sometimes resets connections when it has to send many 304 responses.
    without: ['serve-handler'],
    promises: [{ peer: 'nginx', ratio: 0.5 }],
  },
  {
    name: 'brotli, 64 KiB of script',
    path: '/app.js',
    headers: { 'accept-encoding': 'br' },
    without: ['serve-handler'],
    promises: [{ peer: 'nginx', ratio: 0.55 }],
  },
];

/**
 * Targets with many stored sites, as minimum ratios to a service with a single site: for requests to one of the sites,
 * and for requests to all sites in turns.
 */
const BEHIND = 0.9;
const BY_TURNS = 0.7;

const targets = new Targets();
function promise(text: string, ratio: number, promised: number): void {
  console.log(`    ${ratio.toFixed(2)} × ${text} (target: ${promised})${targets.verdict(ratio >= promised)}`);
}

async function targetOf(server: Server, { path, headers = {}, conditional = false }: Case): Promise<Load> {
  const { headers: sent, status } = await settled(server, path, headers);
  if (status !== 200) throw new Error(`${server.name}: ${status} for ${path}`);
  if (headers['accept-encoding'] && sent['content-encoding'] !== headers['accept-encoding'])
    throw new Error(`${server.name} sent ${sent['content-encoding'] ?? 'plain bytes'} for ${path}.`);
  return conditional ? { path, status: 304, headers: { 'if-none-match': sent.etag ?? '' } } : { path, headers };
}

/**
 * Waits for the product's best brotli version, which it creates in the background. The peers’ versions exist in
 * advance.
 */
async function settled(server: Server, path: string, headers: Record<string, string>) {
  for (let tries = 0; ; tries++) {
    const answer = await get(server, path, headers);
    if (!answer.headers.etag?.endsWith('q"') || tries === 200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function compare(servers: readonly Server[]): Promise<void> {
  for (const each of cases) {
    const contestants: Parameters<typeof rounds>[0][number][] = [];
    for (const server of servers)
      if (!each.without?.includes(server.name))
        contestants.push({ key: server.name, server, target: await targetOf(server, each) });
    const figures = await rounds(contestants);
    console.log(`${each.name}`);
    for (const [name, { perSecond, cpu }] of figures)
      console.log(
        `  ${name.padEnd(16)} ${Math.round(median(perSecond)).toString().padStart(7)}/s  ${median(cpu).toFixed(1).padStart(6)} µs of CPU`,
      );
    const figuresOf = (name: string) => figures.get(name) ?? { perSecond: [], cpu: [] };
    const ours = figuresOf('stele');
    for (const { peer, ratio, by } of each.promises) {
      const theirs = figuresOf(peer);
      // A lower CPU time is better, so this ratio is inverted: it compares requests per second of CPU time.
      if (by === 'cpu') promise(`${peer} by CPU`, ratioOf(theirs.cpu, ours.cpu), ratio);
      else promise(peer, ratioOf(ours.perSecond, theirs.perSecond), ratio);
    }
  }
}

async function fill(server: SteleServer): Promise<string[]> {
  const slugs = Array.from({ length: SITES }, (_, n) => `site-${n}-of-many`);
  const left = slugs.values();
  const one = async () => {
    for (const slug of left) await server.deploy(slug, JSON.stringify({ files: filesOfSite(slug) }));
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return slugs;
}

/**
 * Creates a script for wrk that sends the requests to these hosts in turns. The requests are built before the
 * measurement.
 */
async function byTurns(folder: string, server: Server, slugs: readonly string[]): Promise<Load> {
  const script = join(folder, 'by-turns.lua');
  await writeFile(
    script,
    `local hosts = {${slugs.map((slug) => `"${slug}"`).join(',')}}
     local requests, at = {}, 0
     init = function()
       for i, host in ipairs(hosts) do requests[i] = wrk.format("GET", "/", { Host = host .. ".localhost:${server.port}" }) end
     end
     request = function() at = at % #requests + 1; return requests[at] end`,
  );
  return { path: '/', script };
}

const folder = await mkdtemp(join(process.env.STELE_BENCH_FOLDER ?? tmpdir(), 'stele-bench-serve-'));
const running: Server[] = [];
async function started<Started extends Server>(starting: Promise<Started>): Promise<Started> {
  const server = await starting;
  running.push(server);
  return server;
}
try {
  const www = await folderOfFiles(join(folder, 'www'));
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; one core each, one for wrk`);
  console.log(`Median of ${ROUNDS} interleaved rounds of ${SECONDS} s, 64 connections that stay open.\n`);
  const ours = await started(stele(folder));
  await started(nginx(folder, www));
  await started(caddy(folder, www));
  for (const name of ['sirv', 'serve-handler', '@fastify/static']) await started(npm(name, www));
  await compare(running);

  const many = await started(stele(folder, 'many'));
  const slugs = await fill(many);
  const target = { path: '/small.html' };
  const figures = await rounds([
    { key: 'alone', server: ours, target },
    { key: 'behind', server: many, target },
    { key: 'turns of one', server: many, target: await byTurns(folder, many, slugs.slice(0, 1)) },
    { key: 'turns', server: many, target: await byTurns(folder, many, slugs) },
  ]);
  console.log(`${SITES} sites with ${SITES * 10} files`);
  for (const [name, { perSecond }] of figures) console.log(`  ${name.padEnd(16)} ${Math.round(median(perSecond))}/s`);
  const ratio = (key: string, other: string) =>
    ratioOf(figures.get(key)?.perSecond ?? [], figures.get(other)?.perSecond ?? []);
  promise('one site alone, for one site among them', ratio('behind', 'alone'), BEHIND);
  promise('one site, for all of them by turns', ratio('turns', 'turns of one'), BY_TURNS);
} finally {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exitCode = targets.areMet ? 0 : 1;
