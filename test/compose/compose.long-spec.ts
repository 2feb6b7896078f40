// needs: docker
// only: compose

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Container, docker, Stack } from '../support/compose/stack.js';
import { SteadyLoad } from '../support/compose/steady-load.js';
import { rawRequestsTo } from '../support/service/raw-request.js';
import { GitHost } from '../support/sites/git-host.js';

const PORT = 8080;
/** The machine's address on Caddy's network. The test's git host listens there. */
const GATEWAY = '172.30.86.1';
const GIT_PORT = 8099;
/** Time limit for building the image. A build without a cache takes minutes. */
const BUILD_MS = 900_000;
const WELL_MS = 180_000;

const ids = (containers: readonly Container[]) => containers.map(({ id }) => id).sort();

describe('`docker compose up -d --build` with .env.example', () => {
  let stack: Stack;
  let load: SteadyLoad;
  let volumesBefore: string[];
  const ask = rawRequestsTo(PORT, `localhost:${PORT}`);

  beforeAll(async () => {
    stack = await Stack.prepare({ STELE_REPO_HOSTS: `${GATEWAY}:${GIT_PORT}` });
    volumesBefore = await stack.volumes();
    load = new SteadyLoad(PORT);
  });
  afterAll(async () => {
    await load.stop();
    await stack.remove();
  }, WELL_MS);

  it(
    'all services start at the first attempt and become healthy',
    async () => {
      await stack.compose('up', '-d', '--build');
      await stack.healthy(WELL_MS);
      const all = await stack.containers();
      const count = (service: string) => all.filter((each) => each.service === service).length;
      const expected = { api: 2, serve: 1, builder: 2, projector: 2, caddy: 1, postgres: 1, redis: 1, mail: 1 };
      expect(Object.fromEntries(Object.keys(expected).map((name) => [name, count(name)]))).toEqual(expected);
      expect(all.filter(({ restarts }) => restarts > 0).map(({ service }) => service)).toEqual([]);
      expect(new Set(all.filter(({ service }) => isOurs(service)).map(({ image }) => image)).size).toBe(1);
    },
    BUILD_MS,
  );

  it('a site can be deployed and visited, a user can sign in, and the metrics are hidden from strangers', async () => {
    expect((await ask('/', { accept: 'text/html' })).body.toString()).toContain(`http://localhost:${PORT}/v1/deploy`);
    load.begin();
    await load.goOn(20);
    const body = JSON.stringify({ email: 'ann@example.org' });
    expect((await ask('/v1/auth/start', { 'content-type': 'application/json' }, 'POST', body)).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(404);
    const [caddy] = await stack.containers('caddy');
    expect(caddy?.addresses).toEqual(['172.30.86.10']);
    expect(load.wrongSince()).toEqual([]);
  }, 60_000);

  it('a repository is built and served without privileges on the host machine', async () => {
    const git = await GitHost.open(undefined, { address: GATEWAY, port: GIT_PORT });
    const script = `const fs = require('node:fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', '<p>' + process.env.STELE_SLUG)`;
    git.commit('built', {
      'package.json': JSON.stringify({ private: true, scripts: { build: 'node make.cjs' } }),
      'make.cjs': script,
    });
    const body = JSON.stringify({ url: git.url('built') });
    const deploy = await ask('/v1/repo/deploy', { 'content-type': 'application/json' }, 'POST', body);
    const { jobId, slug } = JSON.parse(deploy.body.toString());
    const job = await over(() => ask(`/v1/jobs/${jobId}`));
    expect(job).toMatchObject({ status: 'succeeded' });
    expect((await rawRequestsTo(PORT, `${slug}.localhost:${PORT}`)('/')).body.toString()).toBe(`<p>${slug}`);
    await git.close();

    const all = (await stack.containers()).map(({ id }) => id);
    const inspected = JSON.parse(await docker('inspect', ...all));
    const rights = inspected.map(({ HostConfig, Mounts }: Inspected) => [
      HostConfig.Privileged,
      HostConfig.CapAdd,
      Mounts,
    ]);
    expect(JSON.stringify(rights)).not.toMatch(/true,\[|SYS_|docker\.sock|podman\.sock/);
    const [builder] = await stack.containers('builder');
    const status = await docker('exec', builder?.id ?? '', 'cat', '/proc/1/status');
    expect(status).toMatch(/^CapBnd:\s0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^Seccomp:\s2$/m);
    expect(status).toMatch(/^Uid:\s1000\s/m);
  }, 120_000);

  it('the health check of a process uses less than 20 ms of CPU time', async () => {
    const [api] = await stack.containers('api');
    const { Healthcheck } = JSON.parse(await docker('image', 'inspect', '-f', '{{json .Config}}', 'localhost/stele'));
    const [kind, program, flag, script] = Healthcheck.Test;
    expect([kind, program, flag]).toEqual(['CMD', 'bash', '-c']);
    const times = 20;
    const loop = `for n in {1..${times}}; do bash -c "$0" || exit 1; done; times`;
    const before = await processorOf(api);
    const [, children = ''] = (await docker('exec', api?.id ?? '', 'bash', '-c', loop, script)).split('\n');
    const asked = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
      (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
      0,
    );
    const answered = (await processorOf(api)) - before;
    expect(((asked + answered) * 1_000) / times).toBeLessThan(20);
  }, 60_000);

  it(
    'services can be scaled without restarting running containers',
    async () => {
      const before = await stack.containers();
      await stack.compose('up', '-d', '--build', '--scale', 'api=3', '--scale', 'serve=2');
      await stack.healthy(WELL_MS);
      const after = await stack.containers();
      expect(ids(after)).toEqual(expect.arrayContaining(ids(before)));
      expect(after).toHaveLength(before.length + 2);
      await load.goOn(20);
      expect(load.wrongSince()).toEqual([]);
    },
    BUILD_MS,
  );

  it.each(['api', 'serve', 'builder', 'projector', 'redis', 'mail', 'postgres', 'caddy'])(
    'the stack keeps working when a process of %s is killed and restarts automatically',
    async (service) => {
      const [victim] = await stack.containers(service);
      // Docker does not restart a container that was stopped by `docker kill`, so the process is killed by its ID.
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await load.goOn(40);
      await stack.healthy(WELL_MS);
      const again = (await stack.containers(service)).find(({ id }) => id === victim?.id);
      expect(again?.pid).not.toBe(victim?.pid);
      expect(load.wrongSince()).toEqual([]);
    },
    WELL_MS,
  );

  it.each(['api', 'serve', 'builder', 'projector', 'redis', 'mail', 'postgres', 'caddy'])(
    'the stack keeps working while %s restarts',
    async (service) => {
      await stack.compose('restart', service);
      await load.goOn(20);
      await stack.healthy(WELL_MS);
      expect(load.wrongSince()).toEqual([]);
    },
    WELL_MS,
  );

  it('the logs contain no tokens', async () => {
    const logs = await stack.compose('logs', '--no-color');
    expect(logs).not.toMatch(/stele_(edit|session)_\w/);
    // Looks only for color codes, because Compose itself writes other control codes.
    expect(logs).not.toContain('\u001b[3');
  }, 60_000);

  it(
    '`down` leaves only the three volumes, and `up` then restores everything',
    async () => {
      await load.stop();
      expect(load.put.length).toBeGreaterThan(20);
      await stack.compose('down');
      const left = (await stack.volumes()).filter((name) => !volumesBefore.includes(name));
      expect(left.sort()).toEqual(['caddy', 'data', 'postgres']);
      await stack.compose('up', '-d');
      await stack.healthy(WELL_MS);
      expect(await load.lost()).toEqual([]);
      const verified = await stack.compose(
        'exec',
        '-T',
        'projector',
        'node',
        'dist/bundled/projections.command.js',
        'verify',
      );
      expect(verified).not.toMatch(/differs/i);
      expect(load.wrongSince()).toEqual([]);
    },
    BUILD_MS,
  );
});

type Inspected = {
  readonly HostConfig: { readonly Privileged: boolean; readonly CapAdd: readonly string[] | null };
  readonly Mounts: readonly { readonly Source: string }[];
};

async function over(look: () => Promise<{ readonly body: Buffer }>): Promise<{ readonly status: string }> {
  const enough = performance.now() + 90_000;
  for (;;) {
    const job = JSON.parse((await look()).body.toString());
    if (['succeeded', 'failed', 'stopped'].includes(job.status) || performance.now() > enough) return job;
    await delay(500);
  }
}

const isOurs = (service: string) => ['api', 'serve', 'builder', 'projector'].includes(service);

/** Returns the CPU seconds that a container's processes have used. */
async function processorOf(container: Container | undefined): Promise<number> {
  const script = 'for each in /proc/[0-9]*; do [ "$(cat $each/comm)" = bash ] || cut -d" " -f14,15 $each/stat; done';
  const ticks = (await docker('exec', container?.id ?? '', 'bash', '-c', script)).split(/\s+/).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}
