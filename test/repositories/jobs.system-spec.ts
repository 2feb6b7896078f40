// needs: database, git

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase, hanging, serverOf } from '../support/database/test-database.js';
import { signIn } from '../support/people/sign-in.js';
import { strangerToken } from '../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen, linesOf } from '../support/sites/jobs.js';

jest.setTimeout(120_000);

/** Starts a repository host that can delay packs, so that a test knows a job's current step. */
async function slowHost() {
  const held: ServerResponse[] = [];
  let isHolding = false;
  const host = await GitHost.open(({ url, method }, answer) => {
    if (!isHolding || method !== 'POST' || !url?.endsWith('/git-upload-pack')) return false;
    held.push(answer);
    return true;
  });
  return {
    host,
    held,
    hold: () => {
      isHolding = true;
    },
    letGo: () => {
      isHolding = false;
      for (const answer of held.splice(0)) answer.destroy();
    },
  };
}

describe('Jobs', () => {
  let slow: Awaited<ReturnType<typeof slowHost>>;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    slow = await slowHost();
    temporary = await temporaryFolder('jobs');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: slow.host.listed } });
    slow.host.commit('plain', { 'index.html': '<h1>1</h1>' });
  }, 60_000);
  afterEach(() => slow.letGo());
  afterAll(async () => {
    await stele?.stop();
    await slow.host.close();
    await temporary.remove();
  });

  const deploy = async (body: object, token?: string) => {
    const sent = stele.api.post('/v1/repo/deploy').send(body);
    return (await (token === undefined ? sent : sent.set('x-svc-edit-token', token)).expect(200)).body;
  };
  const stop = (jobId: string, token: string) =>
    stele.api.post(`/v1/jobs/${jobId}/stop`).set('x-svc-edit-token', token);
  const copying = (jobId: string) =>
    jobWhen(stele, jobId, ({ steps }) => steps[0]?.status === 'running' && slow.held.length > 0);
  const gits = () => stele.gitsBelow();

  it('a job can log 10,000 lines, which are stored in order in few events', async () => {
    const links = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`links/${n}`, { link: '/etc/passwd' }]));
    slow.host.commit('links', { 'index.html': 'x', ...links });
    const { jobId } = await deploy({ url: slow.host.url('links') });
    const watching = fetch(`${stele.base}/v1/jobs/${jobId}/events`, { headers: { accept: 'application/x-ndjson' } });
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'succeeded' });

    const events = await eventsOf(stele, jobId);
    const lines = linesOf(events);
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, index) => index + 1));
    const told = lines.flatMap(({ text }) => /^Skipped links\/(\d+):/.exec(text)?.[1] ?? []);
    expect(told).toEqual(
      Object.keys(links)
        .map((path) => path.slice(6))
        .sort(),
    );
    const watched = (await (await watching).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const heard = watched.flatMap(({ event, data }) => (event === 'job.log' ? data.lines : []));
    expect(heard).toEqual(lines);
    expect(events.filter(({ type }) => type === 'JobLogged').length).toBeLessThan(100);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index + 1));
  });

  it('a job is visible only to those who know its ID', async () => {
    const { jobId } = await deploy({ url: slow.host.url('plain') });
    await jobOver(stele, jobId);
    for (const id of ['job_00000000000000000000000000', 'x', `${jobId}0`]) {
      expect((await stele.api.get(`/v1/jobs/${id}`).expect(404)).body.code).toBe('job_not_found');
    }
  });

  it('a job stops soon after it is asked to, and leaves nothing behind', async () => {
    slow.hold();
    const { jobId, editToken, slug } = await deploy({ url: slow.host.url('plain') });
    await copying(jobId);
    expect(await gits()).not.toEqual([]);

    expect((await stele.api.post(`/v1/jobs/${jobId}/stop`).expect(401)).body.code).toBe('unauthenticated');
    expect((await stop(jobId, strangerToken).expect(403)).body.code).toBe('edit_token_invalid');
    const before = Date.now();
    expect((await stop(jobId, editToken).expect(200)).body.status).toMatch(/^stop(ping|ped)$/);
    expect(await jobOver(stele, jobId)).toMatchObject({
      status: 'stopped',
      steps: [{ name: 'clone', status: 'stopped' }],
    });
    // The service promises to stop a job within five seconds, but a slow machine may need longer. Git itself would wait
    // for a minute.
    expect(Date.now() - before).toBeLessThan(20_000);
    expect(await gits()).toEqual([]);
    expect(await stele.copies()).toEqual([]);
    expect((await stop(jobId, editToken).expect(200)).body.status).toBe('stopped');
    await stele.visit(slug).expect(404);
  });

  it('a finished job can’t be stopped', async () => {
    const { jobId, editToken } = await deploy({ url: slow.host.url('plain') });
    await jobOver(stele, jobId);
    expect((await stop(jobId, editToken).expect(409)).body.code).toBe('job_finished');
  });

  it('a job waits while its owner has two running jobs, and can be stopped while it waits', async () => {
    slow.hold();
    const jobs = [];
    for (let n = 0; n < 3; n++) jobs.push(await deploy({ url: slow.host.url('plain') }));
    await jobWhen(stele, jobs[1].jobId, ({ status }) => status === 'running');
    const waiting = await jobWhen(stele, jobs[2].jobId, ({ status }) => status === 'queued');
    expect(waiting).toMatchObject({ status: 'queued', startedAt: null });
    expect((await stop(jobs[2].jobId, jobs[2].editToken).expect(200)).body.status).toBe('stopped');
    for (const { jobId, editToken } of jobs.slice(0, 2)) await stop(jobId, editToken).expect(200);
    for (const { jobId } of jobs) expect(await jobOver(stele, jobId)).toMatchObject({ status: 'stopped' });
  });

  it('deleting a site stops its running and waiting jobs, and notifies their watchers', async () => {
    slow.hold();
    const jobs = [];
    for (let n = 0; n < 3; n++) jobs.push(await deploy({ url: slow.host.url('plain') }));
    await copying(jobs[0].jobId);
    const followed = await Promise.all(jobs.map(({ jobId }) => fetch(`${stele.base}/v1/jobs/${jobId}/events`)));
    for (const { slug, editToken } of jobs)
      await stele.api.delete(`/v1/sites/${slug}`).set('x-svc-edit-token', editToken).expect(204);

    for (const answer of followed) expect(await answer.text()).toMatch(/event: job\.stopped[\s\S]*event: end/);
    for (const { jobId, editToken } of jobs) {
      expect((await stele.api.get(`/v1/jobs/${jobId}`).expect(404)).body.code).toBe('job_not_found');
      expect((await stop(jobId, editToken).expect(404)).body.code).toBe('job_not_found');
      expect((await eventsOf(stele, jobId)).map(({ type }) => type)).not.toContain('JobSucceeded');
    }
    expect(await stele.copies()).toEqual([]);
  });

  it('a job can be run again, even after it failed, and uses the repository’s current content', async () => {
    const { jobId, slug, editToken } = await deploy({ url: slow.host.url('late') });
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'failed', error: { code: 'repo_unreachable' } });

    const rerun = () => stele.api.post(`/v1/sites/${slug}/rerun`).set('x-svc-edit-token', editToken).expect(200);
    for (const page of ['first', 'second']) {
      slow.host.commit('late', { 'index.html': page });
      const { body } = await rerun();
      expect(body).toEqual({ jobId: expect.any(String), status: 'queued', slug, eventsUrl: expect.any(String) });
      expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded', kind: 'rerun' });
      expect((await stele.visit(slug).expect(200)).text).toBe(page);
    }
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set('x-svc-edit-token', editToken);
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['live', 'superseded']);
  });

  it('stopping a job frees the slug of its new site, and one of several concurrent requests gets that slug', async () => {
    slow.hold();
    const { jobId, editToken } = await deploy({ url: slow.host.url('plain'), slug: 'given-up' });
    await copying(jobId);
    const asked = () => stele.api.post('/v1/deploy?slug=given-up').type('html').send('<h1>mine</h1>');
    expect((await asked().expect(409)).body.code).toBe('slug_taken');
    await stop(jobId, editToken).expect(200);
    await jobOver(stele, jobId);
    const free = await stele.api
      .post('/v1/cli/preflight')
      .send({ slug: 'given-up', files: [{ path: 'index.html', size: 1, sha256: 'a'.repeat(64) }] })
      .expect(200);
    expect(free.body).toMatchObject({ ok: true });
    const answers = await Promise.all(Array.from({ length: 5 }, asked));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await stele.visit('given-up').expect(200)).text).toBe('<h1>mine</h1>');
    await stele.api.get('/v1/sites/given-up/history').set('x-svc-edit-token', editToken).expect(403);
  });

  it('the new site of a failed job is kept only if its owner has changed it', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    const send = (slug: string) =>
      stele.api
        .post('/v1/repo/deploy')
        .set(ann.bearer)
        .send({ url: slow.host.url('missing'), slug });
    for (const slug of ['ann-leaves', 'ann-keeps']) {
      const { body } = await send(slug).expect(200);
      expect(await jobOver(stele, body.jobId, ann.bearer)).toMatchObject({ status: 'failed' });
    }
    await stele.api.patch('/v1/sites/ann-keeps').set(ann.bearer).send({ title: 'Soon' }).expect(200);
    const strangers = (slug: string) => stele.api.post(`/v1/deploy?slug=${slug}`).type('html').send('x');
    expect((await strangers('ann-keeps').expect(409)).body.code).toBe('slug_taken');
    await strangers('ann-leaves').expect(200);
    const { body: sites } = await stele.api.get('/v1/me/sites').set(ann.bearer).expect(200);
    expect(sites.items.map(({ slug }: { slug: string }) => slug)).toEqual(['ann-keeps']);
    expect((await stele.api.post('/v1/sites/ann-leaves/rerun').set(ann.bearer).expect(403)).body).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('Another site has this slug now'),
    });
  });

  it('running a job again requires an earlier job and permission to deploy the site', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
    const rerun = stele.api.post(`/v1/sites/${site.slug}/rerun`);
    expect((await rerun.set('x-svc-edit-token', site.editToken).expect(409)).body.code).toBe('nothing_to_rerun');
    expect((await stele.api.post(`/v1/sites/${site.slug}/rerun`).expect(401)).body.code).toBe('unauthenticated');
    expect((await stele.api.post('/v1/sites/no-such-site/rerun').expect(404)).body.code).toBe('site_not_found');
  });

  it('a job can deploy to an existing site only with permission, and can’t take another site’s slug', async () => {
    const { body: site } = await stele.api.post('/v1/deploy?slug=mine').type('html').send('before').expect(200);
    const url = slow.host.url('plain');
    const refused = await stele.api.post('/v1/repo/deploy').send({ url, slug: 'mine' }).expect(409);
    expect(refused.body.code).toBe('slug_taken');
    const answer = await deploy({ url, slug: 'mine' }, site.editToken);
    expect(answer).not.toHaveProperty('editToken');
    await jobOver(stele, answer.jobId);
    expect((await stele.visit('mine').expect(200)).text).toBe('<h1>1</h1>');
  });

  it('requests with the same Idempotency-Key create only one job', async () => {
    const send = () =>
      stele.api
        .post('/v1/repo/deploy')
        .set('idempotency-key', 'a-repository-deploy-once')
        .send({ url: slow.host.url('plain') });
    const { body } = await send().expect(200);
    expect((await send().expect(200).expect('idempotency-replayed', 'true')).body).toEqual(body);
    await jobOver(stele, body.jobId);
    const other = stele.api.post('/v1/repo/deploy').set('idempotency-key', 'a-repository-deploy-once');
    const reused = await other.send({ url: slow.host.url('links') }).expect(422);
    expect(reused.body.code).toBe('idempotency_key_reused');
  });

  it('a job that needs a build reports its build plan, and fails if no builder is available', async () => {
    slow.host.commit('vite', {
      'package.json': JSON.stringify({ scripts: { build: 'vite build' }, devDependencies: { vite: '8' } }),
    });
    const { jobId } = await deploy({ url: slow.host.url('vite') });
    expect(await jobOver(stele, jobId)).toMatchObject({
      status: 'failed',
      plan: { kind: 'static_build', framework: 'vite', buildCommand: 'npm run build', outputDirectory: 'dist' },
      error: { code: 'builder_unavailable' },
    });
  });

  it('a job is handed back when the service stops, and continues after the next start', async () => {
    slow.hold();
    const { jobId, slug } = await deploy({ url: slow.host.url('plain') });
    await copying(jobId);
    expect(await stele.stop()).toBe(0);
    expect(await stele.copies()).toEqual([]);
    slow.letGo();
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: slow.host.listed } });
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'succeeded' });
    const types = (await eventsOf(stele, jobId)).map(
      ({ type, data }) => `${type} ${data.reason ?? data.attempt ?? ''}`,
    );
    expect(types.filter((type) => /Started|Again/.test(type))).toEqual([
      'JobStarted 1',
      'JobQueuedAgain handed_back',
      'JobStarted 2',
    ]);
    expect((await stele.visit(slug).expect(200)).text).toBe('<h1>1</h1>');
  }, 120_000);
});

describe('A job of a service whose database is down', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let host: GitHost;
  let stele: Stele;
  let asked: Turn;
  let goesOn: Turn;

  beforeAll(async () => {
    temporary = await temporaryFolder('jobs-outages');
    host = await GitHost.open(async ({ url, method }) => {
      if (method === 'POST' && url?.endsWith('/git-upload-pack')) {
        asked.resolve();
        await goesOn.promise;
      }
      return false;
    });
    host.commit('plain', { 'index.html': '<h1>after all</h1>' });
    // The lease is shorter than the outage, because a worker must not lose its job only for failing to renew the lease.
    const env = { STELE_REPO_HOSTS: host.listed, STELE_JOB_LEASE_SECONDS: '3' };
    stele = await startStele({ folder: temporary.folder, env });
  }, 60_000);
  beforeEach(() => {
    asked = Promise.withResolvers();
    goesOn = Promise.withResolvers();
  });
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const start = async () => {
    const url = host.url('plain');
    const { body } = await stele.api.post('/v1/repo/deploy').send({ url }).expect(200);
    await asked.promise;
    return body as { jobId: string; slug: string };
  };
  const postgres = () => serverOf(join(temporary.folder, 'postgres'));
  const expectDone = async ({ jobId, slug }: { jobId: string; slug: string }) => {
    while ((await stele.raw.get('/ready')).status !== 200) await delay(50);
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'succeeded' });
    expect((await stele.visit(slug).expect(200)).text).toBe('<h1>after all</h1>');
    const again = (await eventsOf(stele, jobId)).filter(({ type }) => type === 'JobQueuedAgain');
    // The worker must not count as lost, because it was alive throughout.
    expect(again.filter(({ data }) => data.reason === 'worker_lost')).toEqual([]);
  };

  it('the job waits, even if the database hangs repeatedly for longer than the lease', async () => {
    const job = await start();
    for (let time = 0; time < 2; time++) await hanging(await postgres(), () => delay(4_500));
    goesOn.resolve();
    await expectDone(job);
  }, 120_000);

  it('if the database fails while content is stored, the job continues or restarts, and does not fail', async () => {
    for (let time = 0; time < 5; time++) {
      const job = await start();
      // From now on, queries get no response. They fail when the server is killed.
      const server = await postgres();
      await hanging(server, async () => {
        goesOn.resolve();
        await delay(200 * time);
        process.kill(server, 'SIGQUIT');
      });
      while ([server, Number.NaN].includes(await postgres().catch(() => server))) await delay(20);
      await expectDone(job);
      asked = Promise.withResolvers();
      goesOn = Promise.withResolvers();
    }
  }, 180_000);
});

type Turn = ReturnType<typeof Promise.withResolvers<void>>;

describe('Jobs on two processes', () => {
  let slow: Awaited<ReturnType<typeof slowHost>>;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let all: Stele[];

  beforeAll(async () => {
    slow = await slowHost();
    temporary = await temporaryFolder('two-workers');
    database = await freshDatabase();
    slow.host.commit('plain', { 'index.html': '<h1>once</h1>' });
  }, 60_000);
  afterAll(async () => {
    await Promise.all(all.map((stele) => stele.stop()));
    await slow.host.close();
    await database.drop();
    await temporary.remove();
  });

  const start = () =>
    startStele({
      folder: temporary.folder,
      env: {
        DATABASE_URL: databaseUrl(database.config),
        STELE_REPO_HOSTS: slow.host.listed,
        STELE_JOB_LEASE_SECONDS: '8',
      },
    });

  it('if a worker is killed, the other process resumes its job and publishes it once', async () => {
    all = await Promise.all([start(), start()]);
    slow.hold();
    const [one] = all as [Stele, Stele];
    const { body } = await one.api
      .post('/v1/repo/deploy')
      .send({ url: slow.host.url('plain') })
      .expect(200);
    await jobWhen(one, body.jobId, ({ steps }) => steps.length > 0 && slow.held.length > 0);

    const busy = [];
    for (const stele of all) if ((await stele.gitsBelow()).length > 0) busy.push(stele);
    expect(busy).toHaveLength(1);
    const killed = busy[0]!;
    const orphans = await killed.gitsBelow();
    await killed.stop('SIGKILL');
    const other = all.find((stele) => stele !== killed)!;
    slow.letGo();

    const job = await jobOver(other, body.jobId);
    expect(job).toMatchObject({ status: 'succeeded' });
    const { body: deploys } = await other.api
      .get(`/v1/sites/${body.slug}/deploys`)
      .set('x-svc-edit-token', body.editToken)
      .expect(200);
    expect(deploys).toMatchObject({ total: 1, items: [{ deployId: job.deployId, jobId: body.jobId }] });
    expect((await other.visit(body.slug).expect(200)).text).toBe('<h1>once</h1>');
    // The killed worker's child processes exit on their own, because their parent no longer exists.
    for (const pid of orphans) expect(await gone(pid)).toBe(true);
  }, 180_000);
});

async function gone(pid: number): Promise<boolean> {
  const enough = Date.now() + 60_000;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    if (Date.now() > enough) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
