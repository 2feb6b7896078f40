// Measures how much one address can affect others in a minute, with the rate limits of a public service. 200
// connections send the worst requests as fast as they can, while a visitor and a deployer at other addresses measure
// response times. Exits with an error if a target is missed.
import { fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startService } from './service.ts';

const SECONDS = Number(process.env.STELE_BENCH_SECONDS ?? 60);
/** Target for the visitor: maximum 99th percentile of response times in milliseconds, without any failed request. */
const P99_MS = 50;
/**
 * Target for memory: maximum growth in bytes after the flood. It leaves room for caches that stay within their budgets.
 */
const MOST_MORE = 32 * 1_048_576;

/** The sender's final report. */
type FloodTold = { requests: number; answers: number; closed: number };

const VISITOR = '127.0.0.3';
const DEPLOYER = '127.0.0.4';

const service = await startService({ STELE_RATE_LIMITS: 'on' });
const page = { 'content-type': 'text/html' };
const deploy = (body: Buffer, headers: Record<string, string> = {}, method = 'POST', query = '') =>
  service.send({ method, path: `/v1/deploy${query}`, headers: { ...page, ...headers }, body, localAddress: DEPLOYER });

const made: { slug: string; editToken: string } = JSON.parse(
  (await deploy(Buffer.from(`<h1>steady</h1>${'x'.repeat(20_000)}`))).body.toString(),
);
const visit = () =>
  service.send({ headers: { host: `${made.slug}.localhost:${service.port}` }, localAddress: VISITOR });
const edit = { 'x-svc-edit-token': made.editToken };

await measured(5);
const base = await service.askNumber('memory');
const alone = await measured(5);
console.log(`alone:  visitor p50 ${at(alone.visits, 0.5)} ms, p99 ${at(alone.visits, 0.99)} ms`);

const sender = fork(fileURLToPath(new URL('flood-sender.ts', import.meta.url)), [
  String(service.port),
  made.slug,
  ...process.argv.slice(2, 3),
]);
const sent = new Promise<FloodTold>((resolve) => sender.once('message', resolve));
const during = await measured(SECONDS);
sender.send('stop');
const flood = await sent;
sender.kill();

await pause(12_000);
const after = await service.askNumber('memory');
const more = after - base;
console.log(
  `flood:  ${flood.requests} requests, ${flood.answers} responses, ${flood.closed} connections closed by the service`,
);
console.log(
  `during: visitor p50 ${at(during.visits, 0.5)} ms, p99 ${at(during.visits, 0.99)} ms, most ${at(during.visits, 1)} ms of ${during.visits.length}; ` +
    `deployer p50 ${at(during.deploys, 0.5)} ms, p99 ${at(during.deploys, 0.99)} ms of ${during.deploys.length}; ${during.errors.length} errors`,
);
console.log(`memory: ${(base / 1_048_576).toFixed(0)} MiB before, ${(after / 1_048_576).toFixed(0)} MiB after`);

const missed = [
  ...(at(during.visits, 0.99) > P99_MS ? [`the visitor’s p99 is above ${P99_MS} ms`] : []),
  ...(during.errors.length > 0 ? [`errors: ${[...new Set(during.errors)].join(', ')}`] : []),
  ...(more > MOST_MORE ? [`${(more / 1_048_576).toFixed(0)} MiB were not released`] : []),
  ...(service.isAlive() ? [] : ['the service exited']),
];
await service.stop();
console.log(missed.length === 0 ? '\nAll targets are met.' : `\nMissed: ${missed.join('; ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** Sends a visit every 20 ms and a redeploy every 1.5 s, within the limits of one address and one site. */
async function measured(seconds: number) {
  const end = performance.now() + seconds * 1_000;
  const found: { visits: number[]; deploys: number[]; errors: string[] } = { visits: [], deploys: [], errors: [] };
  const steadily = async (everyMs: number, act: () => Promise<{ status: number }>, times: number[], who: string) => {
    while (performance.now() < end) {
      const begun = performance.now();
      const { status } = await act();
      times.push(performance.now() - begun);
      if (status !== 200) found.errors.push(`${who} ${status}`);
      await pause(Math.max(0, everyMs - (performance.now() - begun)));
    }
  };
  let version = 0;
  const redeploy = () => deploy(Buffer.from(`<h1>${++version}</h1>`), edit, 'PATCH', `?slug=${made.slug}`);
  await Promise.all([
    steadily(20, visit, found.visits, 'visitor'),
    steadily(1_500, redeploy, found.deploys, 'deployer'),
  ]);
  return found;
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
}
