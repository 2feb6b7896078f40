// needs: database, git, bubblewrap, chromium, containers, busybox

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { HOSTILE } from '../support/servers/hostile-program.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { requestsFrom } from '../support/service/requests-from.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';

const MINUTES = Number(process.env.STELE_TEST_MINUTES ?? 5);
/** Maximum duration of a visit or deploy while the other owner causes load. */
const MOST_MS = 2_000;
/** Maximum duration of a build, as a multiple of its duration without load from the other owner. */
const MOST_TIMES = 4;
const MEBIBYTE = 1024 * 1024;

const built = (script: string): Tree => ({
  'package.json': JSON.stringify({ name: 'built', private: true, scripts: { build: 'node make.cjs' } }),
  'make.cjs': `const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/index.html', 'built');
${script}`,
});
const HONEST = built('for (const end = Date.now() + 1000; Date.now() < end; );');
/** A build that logs endlessly on all available cores. */
const GREEDY = built(`const { Worker } = require('node:worker_threads');
for (let n = 0; n < 4; n++) new Worker('for (;;);', { eval: true });
const line = 'x'.repeat(1000) + '\\n';
const write = () => { while (process.stdout.write(line)); };
process.stdout.on('drain', write);
write();`);

describe(`One owner’s servers while another owner uses as many resources as possible for ${MINUTES} minutes`, () => {
  let git: GitHost;
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;
  let isOver = false;
  const hostile: Promise<unknown>[] = [];

  beforeAll(async () => {
    git = await GitHost.open();
    git.commit('honest', HONEST);
    git.commit('greedy', GREEDY);
    temporary = await serversFolder('two-owners');
    const env = {
      STELE_SERVERS: '2',
      STELE_BUILDER: 'bubblewrap',
      STELE_RATE_LIMITS: 'on',
      STELE_REPO_HOSTS: git.listed,
    };
    stele = await startWithServers({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    isOver = true;
    await Promise.allSettled(hostile);
    await stele?.stop();
    await git?.close();
    await temporary?.remove();
  }, 120_000);

  it(
    'the owner’s visits, deploys and builds are not slowed down beyond the allowed limits',
    async () => {
      const output = await standaloneOutput(HOSTILE, {});
      const [ann, mallory] = [await signIn(stele, 'ann@example.org'), await signIn(stele, 'mallory@example.org')];
      const annAsks = requestsFrom('127.0.0.2', stele.port);
      const malloryAsks = requestsFrom('127.0.0.3', stele.port);

      const job = async (asks: typeof annAsks, headers: Record<string, string>, name: string, slug: string) => {
        const body = { url: git.url(name), slug };
        const started = await asks({ method: 'POST', path: '/v1/repo/deploy', headers, body });
        if (started.status !== 200) return started.status;
        const { jobId } = JSON.parse(started.body);
        for (;;) {
          const { status, body } = await asks({ path: `/v1/jobs/${jobId}`, headers });
          const state = status === 200 ? JSON.parse(body).status : '';
          if (['succeeded', 'failed', 'stopped'].includes(state) || isOver) return state;
          await delay(200);
        }
      };
      const build = async () => {
        const began = performance.now();
        expect(await job(annAsks, ann.bearer, 'honest', 'ann-builds')).toBe('succeeded');
        return performance.now() - began;
      };
      const deploy = (asks: typeof annAsks, headers: Record<string, string>, slug: string, html: string | Buffer) =>
        asks({
          method: 'POST',
          path: `/v1/deploy?slug=${slug}`,
          headers: { ...headers, 'content-type': 'text/html' },
          body: html,
        });

      expect((await deploy(annAsks, ann.bearer, 'ann-site', 'first')).status).toBe(200);
      await stele.publish('ann-server', 'next', output, ann.bearer);
      const alone = Math.max(await build(), await build());

      const outcomes = new Map<string, number>();
      const again = async (what: string, act: () => Promise<{ readonly status: number } | string | number>) => {
        while (!isOver) {
          const done = await act().catch(() => 'no response');
          const outcome = `${what}: ${typeof done === 'object' ? done.status : done}`;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          await delay(1);
        }
      };
      const servers = ['mallory-1', 'mallory-2', 'mallory-3'];
      for (const slug of servers) await stele.publish(slug, 'next', output, mallory.bearer);
      const upload = () => {
        const bytes = randomBytes(4 * MEBIBYTE);
        const path = `/v1/uploads/${createHash('sha256').update(bytes).digest('hex')}`;
        const headers = { ...mallory.bearer, 'content-type': 'application/octet-stream' };
        return malloryAsks({ method: 'PUT', path, headers, body: bytes });
      };
      const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
      hostile.push(
        ...many(4, (n) =>
          again('deploy', () => deploy(malloryAsks, mallory.bearer, `mallory-site-${n}`, randomBytes(MEBIBYTE))),
        ),
        ...many(4, () => again('upload', upload)),
        ...many(4, (n) => again('job', () => job(malloryAsks, mallory.bearer, 'greedy', `mallory-build-${n}`))),
        ...servers.flatMap((slug) => many(4, () => again('server', () => malloryAsks({ path: '/', slug })))),
      );

      const worst = { visit: 0, deploy: 0, server: 0, build: 0 };
      const faults: string[] = [];
      const note = (what: keyof typeof worst, { status, ms, body }: Awaited<ReturnType<typeof annAsks>>) => {
        worst[what] = Math.max(worst[what], ms);
        if (status !== 200) faults.push(`${what}: ${status} ${body.slice(0, 200)}`);
      };
      const end = Date.now() + MINUTES * 60_000;
      // One user can start 60 deploys an hour, including those from repositories. The two loops below start about 50 in
      // five minutes.
      const building = (async () => {
        while (Date.now() < end) {
          worst.build = Math.max(worst.build, await build());
          await delay(10_000);
        }
      })();
      for (let n = 0; Date.now() < end; n++) {
        note('visit', await annAsks({ path: '/', slug: 'ann-site' }));
        if (n % 30 === 0) note('deploy', await deploy(annAsks, ann.bearer, 'ann-site', `page ${n}`));
        note('server', await annAsks({ path: '/', slug: 'ann-server' }));
        await delay(500);
      }
      await building;
      console.log({ ...worst, alone }, Object.fromEntries(outcomes));
      expect(faults).toEqual([]);
      // Checks that the other owner's requests really caused load.
      for (const done of ['deploy: 200', 'upload: 201', 'server: 200']) expect(outcomes.get(done)).toBeGreaterThan(20);
      expect(Math.max(worst.visit, worst.deploy)).toBeLessThan(MOST_MS);
      expect(worst.build).toBeLessThan(MOST_TIMES * alone);
    },
    (MINUTES + 5) * 60_000,
  );
});
