import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, quantile } from '../figures.ts';
import { type Outbox, signInLink } from '../outbox.ts';
import { ANNOUNCED_PORT, mainFile, pinnedNode, startOptions } from '../product.ts';

/** Measures whether response times differ for pairs of requests whose responses must look alike. */
const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 200);

const folder = await mkdtemp(join(tmpdir(), 'stele-timing-'));
const child = spawn(pinnedNode, [...startOptions, mainFile], {
  env: {
    ...process.env,
    NODE_OPTIONS: '',
    PORT: '0',
    STELE_DATA: folder,
    STELE_RATE_LIMITS: 'off',
    STELE_STATUS_PROBES: 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const base = await new Promise<string>((resolve, reject) => {
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    const found = ANNOUNCED_PORT.exec(text)?.[1];
    if (found) resolve(`http://127.0.0.1:${found}`);
  });
  child.on('exit', () => reject(new Error(text)));
});

const json = { 'content-type': 'application/json' };
type Asking = { headers?: Record<string, string>; body?: object };
async function ask<Body>(
  method: string,
  path: string,
  { headers = {}, body }: Asking = {},
): Promise<{ status: number; body: Body }> {
  const answer = await fetch(base + path, {
    method,
    headers: { ...(body && json), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text || 'null') };
}
const signIn = async (email: string) => {
  await ask('POST', '/v1/auth/start', { body: { email } });
  const { body: outbox } = await ask<Outbox>('GET', '/dev/outbox.json', { headers: { host: new URL(base).host } });
  const { pathname, search } = signInLink(outbox, email);
  const { body } = await ask<{ token: string }>('GET', pathname + search);
  return { authorization: `Bearer ${body.token}` };
};

const owner = await signIn('owner@example.org');
const stranger = await signIn('stranger@example.org');
const deployed = await fetch(`${base}/v1/deploy`, {
  method: 'POST',
  headers: { ...owner, 'content-type': 'text/html' },
  body: '<h1>Ours</h1>',
});
const site: { slug: string; deployId: string } = JSON.parse(await deployed.text());
await ask('POST', `/v1/sites/${site.slug}/access`, { headers: owner, body: { visibility: 'members' } });

let people = 0;
/**
 * Pairs of requests, such as for a hidden site and a missing one. Their responses must be equal except for the
 * requested name.
 */
const pairs: Record<string, (first: boolean) => Promise<{ status: number }>> = {
  'a hidden site, a missing one: GET': (hidden) =>
    ask('GET', `/v1/sites/${hidden ? site.slug : 'missing-owl-1000'}`, { headers: stranger }),
  '… its history': (hidden) =>
    ask('GET', `/v1/sites/${hidden ? site.slug : 'missing-owl-1000'}/history`, { headers: stranger }),
  '… a rollback': (hidden) =>
    ask('POST', `/v1/sites/${hidden ? site.slug : 'missing-owl-1000'}/rollback`, {
      headers: stranger,
      body: { deployId: site.deployId },
    }),
  '… a deploy': (hidden) =>
    ask('PATCH', `/v1/deploy?slug=${hidden ? site.slug : 'missing-owl-1000'}`, {
      headers: stranger,
      body: { files: [{ path: 'a', content: '' }] },
    }),
  'a known address, an unknown one: sign-in': (known) =>
    ask('POST', '/v1/auth/start', { body: { email: known ? 'owner@example.org' : `nobody-${++people}@example.org` } }),
};

console.log(`Response time in milliseconds, median and 90th percentile of ${ROUNDS} alternating rounds:\n`);
for (const [name, both] of Object.entries(pairs)) {
  const one: number[] = [];
  const other: number[] = [];
  for (let round = -10; round < ROUNDS; round++) {
    for (const first of round % 2 ? [true, false] : [false, true]) {
      const began = performance.now();
      const { status } = await both(first);
      if (round >= 0) (first ? one : other).push(performance.now() - began);
      if (name.includes('sign-in') ? status !== 200 : status !== 404) throw new Error(`${name}: ${status}`);
    }
  }
  const shown = (times: readonly number[]) => `${median(times).toFixed(2)} (${quantile(times, 0.9).toFixed(2)})`;
  console.log(`${name.padEnd(44)} ${shown(one)} and ${shown(other)}: ${(median(one) / median(other)).toFixed(2)} ×`);
}

child.removeAllListeners('exit');
child.kill('SIGTERM');
await once(child, 'exit');
await rm(folder, { recursive: true, force: true });
