// needs: database, git, bubblewrap

import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readNames } from '../support/content/changing-folder.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen } from '../support/sites/jobs.js';

/** Argument of `sleep` that identifies the test’s processes among all others on the machine. */
const SECONDS = `300.${process.pid}`;
/** A command that starts processes in separate sessions, and waits. */
const WAIT = `setsid sh -c 'setsid sleep ${SECONDS} & sleep ${SECONDS}' & sleep ${SECONDS}`;
const PAGE = 'mkdir -p dist && echo "<h1>made</h1>" > dist/index.html';

type Step = 'clone' | 'detect' | 'install' | 'build' | 'publish';

/** The commands are in files of the repository, so that the next worker can run different commands. */
const plan = {
  kind: 'static_build',
  installCommand: 'sh install.sh',
  buildCommand: 'sh make.sh',
  outputDirectory: 'dist',
};
const project = (waitsIn: Step | null) => ({
  'package.json': '{}',
  'install.sh': waitsIn === 'install' ? WAIT : 'true',
  'make.sh': waitsIn === 'build' ? WAIT : waitsIn === 'publish' ? `${PAGE} && ${MUCH}` : PAGE,
});
const MUCH = 'for n in $(seq 900); do head -c 100000 /dev/urandom > dist/$n.bin; done';

/** A wrapper of git that pauses reading objects while a file named `held` exists next to it. */
const GIT = `#!/bin/sh
case " $* " in *' cat-file '*) while [ -e "\${0%/*}/held" ]; do sleep 0.05; done ;; esac
PATH=\${PATH#*:}
exec git "$@"
`;

describe('A worker that is running builds', () => {
  let host: GitHost;
  let held: (() => void)[] | null = null;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  const programs = () => join(temporary.folder, 'programs');
  const start = async () => {
    stele = await startStele({
      folder: temporary.folder,
      env: {
        PATH: `${programs()}:${process.env.PATH}`,
        STELE_REPO_HOSTS: host.listed,
        STELE_BUILDER: 'bubblewrap',
        STELE_JOBS: '8',
        STELE_JOBS_PER_USER: '8',
      },
    });
  };
  beforeAll(async () => {
    host = await GitHost.open(async ({ method }) => {
      if (method === 'POST' && held) await new Promise<void>((resolve) => held?.push(resolve));
      return false;
    });
    temporary = await temporaryFolder('killed-builds');
    await mkdir(programs());
    await writeFile(join(programs(), 'git'), GIT, { mode: 0o755 });
    await start();
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const deploy = async (step: Step) => {
    host.commit(step, project(step));
    const sent = stele.api.post('/v1/repo/deploy').send({ url: host.url(step), plan });
    return (await sent.expect(200)).body as { jobId: string; slug: string; editToken: string };
  };
  const isIn = (step: Step, jobId: string) => comesTo(jobId, { name: step, status: 'running' });
  const comesTo = async (jobId: string, wanted: { name: Step; status: string }) => {
    const isWanted = ({ name, status }: { name: string; status: string }) =>
      name === wanted.name && status === wanted.status;
    const { steps } = await jobWhen(stele, jobId, (job) => job.steps.some(isWanted));
    expect(steps).toContainEqual(expect.objectContaining(wanted));
  };
  const sandboxes = async () => {
    const folder = join(temporary.folder, 'builds/rooms');
    const all = (await readNames(folder)).filter((name) => !name.endsWith('.sock'));
    return (await Promise.all(all.map((name) => readNames(join(folder, name))))).flat();
  };
  const mounts = async () =>
    (await readFile('/proc/mounts', 'utf8')).split('\n').filter((line) => line.includes(temporary.folder));

  it('a worker can be killed in any step: each job is resumed and published once, and nothing is left behind', async () => {
    const jobs: { step: Step; jobId: string; slug: string; editToken: string }[] = [];
    for (const step of ['install', 'build', 'publish'] as const) jobs.push({ step, ...(await deploy(step)) });
    for (const { step, jobId } of jobs) if (step !== 'publish') await isIn(step, jobId);
    await until(() => waiting().length >= 6);
    // The install step begins after the service has read all objects of the commit.
    await comesTo(jobs[2]?.jobId ?? '', { name: 'install', status: 'succeeded' });
    const objectsHeld = join(programs(), 'held');
    await writeFile(objectsHeld, '');
    jobs.push({ step: 'detect', ...(await deploy('detect')) });
    await isIn('detect', jobs[3]?.jobId ?? '');
    held = [];
    jobs.push({ step: 'clone', ...(await deploy('clone')) });
    await isIn('publish', jobs[2]?.jobId ?? '');
    await until(() => held?.length === 1);
    const names = await sandboxes();
    expect(names).toHaveLength(3);

    await stele.stop('SIGKILL');
    // The worker's child processes are killed together with the worker.
    await until(() => waiting().length === 0);
    for (const letGo of held) letGo();
    held = null;
    await rm(objectsHeld);
    for (const { step } of jobs) host.commit(step, project(null));
    await start();

    for (const { step, jobId, slug, editToken } of jobs) {
      const job = await jobOver(stele, jobId);
      expect([step, job]).toMatchObject([step, { status: 'succeeded' }]);
      const told = (await eventsOf(stele, jobId)).filter(({ type }) => type === 'JobQueuedAgain');
      expect(told).toMatchObject([{ data: { reason: 'worker_lost' } }]);
      const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set('x-svc-edit-token', editToken).expect(200);
      expect(body).toMatchObject({ total: 1, items: [{ deployId: job.deployId, jobId }] });
      expect((await stele.visit(slug).expect(200)).text).toBe('<h1>made</h1>\n');
    }
    expect(await sandboxes()).toEqual([]);
    expect(await mounts()).toEqual([]);
    await until(() => !everyProcess().some((pid) => textOf(pid, 'cmdline').includes(`${temporary.folder}/copies/`)));
    const groups = await readdir('/sys/fs/cgroup', { recursive: false });
    for (const group of groups)
      for (const name of names)
        await expect(readdir(join('/sys/fs/cgroup', group, 'stele-builds', name))).rejects.toMatchObject({
          code: 'ENOENT',
        });
  }, 120_000);

  it('stopping a job ends the build and all of its processes within five seconds', async () => {
    const { jobId, editToken } = await deploy('build');
    await until(() => waiting().length >= 3);
    const owners = new Set(waiting().map(ownerOf));
    const told = performance.now();
    await stele.api.post(`/v1/jobs/${jobId}/stop`).set('x-svc-edit-token', editToken).expect(200);
    await until(() => !everyProcess().some((pid) => owners.has(ownerOf(pid))));
    expect(performance.now() - told).toBeLessThan(5_000);
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'stopped' });
    await until(async () => (await sandboxes()).length === 0);
    expect(await mounts()).toEqual([]);
  }, 60_000);
});

const everyProcess = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
const waiting = () => everyProcess().filter((pid) => textOf(pid, 'cmdline').endsWith(`\0${SECONDS}\0`));
const ownerOf = (pid: string) => /^Uid:\t(\d+)/m.exec(textOf(pid, 'status'))?.[1];

function textOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // The process has exited in the meantime.
    return '';
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const enough = Date.now() + 30_000; !(await isSo()); await delay(50))
    if (Date.now() > enough) throw new Error(`It is not so: ${isSo}`);
}
