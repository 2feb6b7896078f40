// Measures how long a visitor waits for a sleeping server, and how much memory servers use. Starts the real service
// with twenty sites, each of which has a small Node server in bubblewrap. Run it on an otherwise idle machine: node
// bench/servers/wake.ts [sites]
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pg } from '../product.ts';

const sites = Array.from({ length: Number(process.argv[2] ?? 20) }, (_, n) => `bench-${n}`);
const folder = mkdtempSync(join(tmpdir(), 'stele-bench-'));
chmodSync(folder, 0o711);
const operator = 'of-the-operator-of-benches';
const env = {
  ...process.env,
  STELE_DATA: folder,
  PORT: '0',
  STELE_BUILDER: 'bubblewrap',
  STELE_STATUS_PROBES: 'off',
  STELE_ADMIN_TOKEN: operator,
  STELE_SERVERS: String(sites.length),
  STELE_SERVER_IDLE: '600',
  STELE_TEST_DEPLOYS: join(folder, 'deploys.sock'),
};
const service = spawn(process.execPath, ['test/support/servers/start-with-deploys.ts'], { env });
let said = '';
for (const stream of [service.stdout, service.stderr])
  stream.on('data', (bytes) => {
    said += bytes;
  });
while (!said.includes('Ctrl-C')) await delay(100);
const port = /localhost:(\d+)/.exec(said)?.[1];
const base = `http://127.0.0.1:${port}`;

const program = join(folder, 'program');
mkdirSync(join(program, '.next'), { recursive: true });
writeFileSync(join(program, '.next/BUILD_ID'), 'x');
writeFileSync(
  join(program, 'server.js'),
  "require('node:http').createServer((_, answer) => answer.end('hello')).listen(process.env.PORT)",
);
execFileSync('tar', ['-C', program, '-cf', join(folder, 'program.tar'), '.']);

type Visit = { status: number | undefined; ms: number };
type ListedServer = { state: string; memoryBytes: number | null };
const json = async <Body>(path: string, options: RequestInit = {}): Promise<Body> =>
  JSON.parse(await (await fetch(base + path, options)).text());
const visit = (slug: string) =>
  new Promise<Visit>((resolve, reject) => {
    const began = performance.now();
    get({ port, headers: { host: `${slug}.localhost:${port}` }, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode, ms: performance.now() - began }));
    }).on('error', reject);
  });
async function listed(): Promise<ListedServer[]> {
  const headers = { authorization: `Bearer ${operator}` };
  const { items } = await json<{ items: ListedServer[] }>('/v1/admin/servers?limit=100', { headers });
  return items;
}
const figures = (all: readonly Visit[]) => {
  const sorted = all.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part: number) =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]?.toFixed(1)} ms`;
  return `median ${at(0.5)}, p95 ${at(0.95)}, failed ${all.filter(({ status }) => status !== 200).length} of ${all.length}`;
};
const asleep = async () => {
  for (const slug of sites) await psql(slug);
  while ((await listed()).some(({ state }) => state !== 'sleeping')) await delay(200);
};
const client = new pg.Client({ host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele' });
await client.connect();
const psql = (slug: string) => client.query('update site_servers set stop_asked = true where slug = $1', [slug]);

const content = readFileSync(join(folder, 'program.tar'));
for (const slug of sites) {
  const body = JSON.stringify({ files: [{ path: 'index.html', content: slug }] });
  await json(`/v1/deploy?slug=${slug}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { id } = await json<{ id: string }>(`/v1/sites/${slug}`);
  await new Promise<void>((resolve) => {
    const path = `/?siteId=${id}&kind=next`;
    request({ socketPath: env.STELE_TEST_DEPLOYS, method: 'POST', path }, (answer) =>
      answer.resume().on('end', () => resolve()),
    ).end(content);
  });
  await visit(slug);
}
const running = await listed();
console.log(`${running.filter(({ state }) => state === 'running').length} servers are running`);
await delay(4_000);
const after = (await listed()).map(({ memoryBytes }) => memoryBytes ?? 0);
console.log(`memory per server: ${(after.reduce((a, b) => a + b, 0) / after.length / 1_048_576).toFixed(0)} MiB`);
const hot: Visit[] = [];
for (let n = 0; n < 200; n++) hot.push(await visit(sites[n % sites.length]!));
console.log(`running:                    ${figures(hot)}`);
await asleep();
const woken: Visit[] = [];
for (const slug of sites) woken.push(await visit(slug));
console.log(`asleep, one after another:  ${figures(woken)}`);
await asleep();
console.log(`asleep, all at once:        ${figures(await Promise.all(sites.map(visit)))}`);
await client.end();
service.kill('SIGTERM');
await new Promise((resolve) => service.once('exit', resolve));
rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
