import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built, startOptions } from '../append/product.mjs';

/**
 * Whether the time of an answer reveals to a stranger what the answer itself does not: pairs of requests that must look
 * alike.
 */
const ROUNDS = Number(process.env.STELE_BENCH_ROUNDS ?? 200);

const folder = await mkdtemp(join(tmpdir(), 'stele-timing-'));
const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
const child = spawn(node, [...startOptions, fileURLToPath(new URL('main.js', built))], {
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
const base = await new Promise((resolve, reject) => {
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(text)?.[1];
    if (found) resolve(`http://127.0.0.1:${found}`);
  });
  child.on('exit', () => reject(new Error(text)));
});

const json = { 'content-type': 'application/json' };
const ask = async (method, path, { headers = {}, body } = {}) => {
  const answer = await fetch(base + path, {
    method,
    headers: { ...(body && json), ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
};
const signIn = async (email) => {
  await ask('POST', '/v1/auth/start', { body: { email } });
  const { body } = await ask('GET', '/dev/outbox.json', { headers: { host: new URL(base).host } });
  const list = Array.isArray(body) ? body : JSON.parse(body);
  const { pathname, search } = new URL(list.find(({ to }) => to === email).links[0]);
  return { authorization: `Bearer ${(await ask('GET', pathname + search)).body.token}` };
};

const owner = await signIn('owner@example.org');
const stranger = await signIn('stranger@example.org');
const { body: site } = await (async () => {
  const answer = await fetch(`${base}/v1/deploy`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'text/html' },
    body: '<h1>Ours</h1>',
  });
  return { body: await answer.json() };
})();
await ask('POST', `/v1/sites/${site.slug}/access`, { headers: owner, body: { visibility: 'members' } });

let people = 0;
/** Requests for either case; their answers must be equal except for what was requested. */
const pairs = {
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

const quantile = (times, part) => times.toSorted((a, b) => a - b)[Math.floor(times.length * part)];

console.log(`Response time in milliseconds, median and 90th percentile of ${ROUNDS} alternating rounds:\n`);
for (const [name, both] of Object.entries(pairs)) {
  const times = { one: [], other: [] };
  for (let round = -10; round < ROUNDS; round++) {
    for (const [key, first] of round % 2
      ? [
          ['one', true],
          ['other', false],
        ]
      : [
          ['other', false],
          ['one', true],
        ]) {
      const began = performance.now();
      const { status } = await both(first);
      if (round >= 0) times[key].push(performance.now() - began);
      if (name.includes('sign-in') ? status !== 200 : status !== 404) throw new Error(`${name}: ${status}`);
    }
  }
  const [one, other] = [times.one, times.other].map((each) => [quantile(each, 0.5), quantile(each, 0.9)]);
  const shown = ([median, tail]) => `${median.toFixed(2)} (${tail.toFixed(2)})`;
  console.log(`${name.padEnd(44)} ${shown(one)} and ${shown(other)}: ${(one[0] / other[0]).toFixed(2)} ×`);
}

child.removeAllListeners('exit');
child.kill('SIGTERM');
await once(child, 'exit');
await rm(folder, { recursive: true, force: true });
