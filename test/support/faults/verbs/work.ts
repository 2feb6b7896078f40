import { readFileSync } from 'node:fs';
import { newRunId } from '../../sites/runs.js';
import type { Given } from '../points/observed.js';
import { type Verb, verb } from '../points/verb.js';
import { type Headers, OPERATOR, type World } from '../points/world.js';
import { somebody, theirSite } from './starting-points.js';

const { example: NOTICE } = JSON.parse(readFileSync('templates/status-notice/template.json', 'utf8'));

/** Until no job is left in the queue. */
const jobsDone = (world: World) =>
  world.until(async () => (await world.stele.query('select from job_queue')).length === 0);

/** Until that job waits for its repository, after a start again, or was stopped. */
const underWayOrStopped = (world: World, { by, jobId }: Given & { readonly by: Headers; readonly jobId: string }) =>
  world.until(async () => {
    const { body } = await world.api.get(`/v1/jobs/${jobId}`).set(by);
    return body.status === 'stopped' || (body.status === 'running' && body.steps.length === 1);
  });

type OfJobs = Given & { readonly slug: string; readonly by: Headers };

/** Of the newest job of the site: it may fail for want of room or of an answer, and says so. */
const ofJobs = {
  failedAs: async ({ api }: World, { slug, by }: OfJobs): Promise<string | null> => {
    const { body } = await api.get(`/v1/sites/${slug}/jobs`).set(by).expect(200);
    return body.items[0]?.error?.code ?? null;
  },
  again: ({ api }: World, { slug, by }: OfJobs) => api.post(`/v1/sites/${slug}/rerun`).set(by),
};

async function builtSite(world: World) {
  const given = await somebody(world);
  const slug = `site-${given.mark}`;
  const { body } = await world.api
    .post('/v1/repo/deploy')
    .set(given.by)
    .send({ url: world.host.url('plain'), slug })
    .expect(200);
  await jobsDone(world);
  return { ...given, slug, jobId: String(body.jobId) };
}

async function withDomain(world: World) {
  const given = await theirSite(world);
  const hostname = `${given.mark}.com`;
  const { body } = await world.api.post(`/v1/sites/${given.slug}/domains`).set(given.by).send({ hostname }).expect(201);
  await domainLookedAt(world, { ...given, hostname });
  await world.stele.query(
    `update domain_checks set checked_at = checked_at - interval '1 minute' where hostname = '${hostname}'`,
  );
  return { ...given, hostname, body };
}

type WithHostname = Given & { readonly slug: string; readonly by: Headers; readonly hostname: string };

/**
 * Until the records of the name were looked for, by itself. Where the answer to the lease was lost, that is a minute
 * later.
 */
const domainLookedAt = (world: World, { hostname }: Pick<WithHostname, 'hostname'>) =>
  world.until(async () => {
    const [row] = await world.stele.query(
      `select checked_at, leased_until from domain_checks where hostname = '${hostname}'`,
    );
    return row !== undefined && row.checked_at !== null && row.leased_until === null;
  }, 100);

/** Where the domain says `word`: until its site says so too, which comes after the answer. */
const saidBySite = (word: string, event: string) => async (world: World, given: WithHostname) => {
  const said = async (path: string) => JSON.stringify((await world.api.get(path).set(given.by)).body);
  if (!(await said(`/v1/sites/${given.slug}/domains`)).includes(word)) return;
  await domainLookedAt(world, given);
  await world.until(async () => (await said(`/v1/sites/${given.slug}/history`)).includes(event));
};

/** Jobs, runs, domains, generated pages and incidents. */
export const work: readonly Verb[] = [
  verb({
    operation: 'POST /v1/repo/check',
    prepare: somebody,
    ask: ({ api, host }, { by }) =>
      api
        .post('/v1/repo/check')
        .set(by)
        .send({ url: host.url('plain') }),
  }),
  verb({
    operation: 'POST /v1/repo/deploy',
    between:
      'The site is there, with nothing to show, before its job is; a job that is recorded is found by the workers.',
    prepare: async (world) => {
      const given = await somebody(world);
      return { ...given, slug: `site-${given.mark}` };
    },
    ask: ({ api, host }, { by, slug }) =>
      api
        .post('/v1/repo/deploy')
        .set(by)
        .send({ url: host.url('plain'), slug }),
    settled: (world) => jobsDone(world),
    later: ofJobs,
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/rerun',
    between: 'A job that is recorded is found by the workers, though nobody was told of it.',
    prepare: builtSite,
    ask: ({ api }, { by, slug }) => api.post(`/v1/sites/${slug}/rerun`).set(by),
    settled: (world) => jobsDone(world),
    later: ofJobs,
  }),
  verb({
    operation: 'POST /v1/jobs/{id}/stop',
    prepare: async (world) => {
      const given = await somebody(world);
      const slug = `site-${given.mark}`;
      const { body } = await world.api
        .post('/v1/repo/deploy')
        .set(given.by)
        .send({ url: world.host.url('slow'), slug })
        .expect(200);
      await world.isAsked('/slow.git');
      const made = { ...given, reads: [[`/v1/jobs/${body.jobId}`]] as const, jobId: String(body.jobId) };
      await underWayOrStopped(world, made);
      return made;
    },
    ask: ({ api }, { by, jobId }) => api.post(`/v1/jobs/${jobId}/stop`).set(by),
    settled: underWayOrStopped,
  }),
  verb({
    operation: 'POST /v1/cli/event',
    way: 'the first of a run',
    prepare: async (world) => {
      const given = await theirSite(world);
      const runId = newRunId();
      return { ...given, runId };
    },
    ask: ({ api }, { by, runId }) => api.post('/v1/cli/event').set(by).send({ runId, kind: 'run.started' }),
    look: async ({ api }, { runId }) =>
      (await api.get(`/v1/cli/runs/${runId}/events`).set('accept', 'application/json')).body.items,
    again: 'another',
  }),
  verb({
    operation: 'POST /v1/cli/event',
    way: 'the last of a run',
    prepare: async (world) => {
      const given = await theirSite(world);
      const runId = newRunId();
      await world.api.post('/v1/cli/event').set(given.by).send({ runId, kind: 'run.started' }).expect(202);
      return { ...given, runId };
    },
    ask: ({ api }, { by, runId }) => api.post('/v1/cli/event').set(by).send({ runId, kind: 'run.succeeded' }),
    look: async ({ api }, { runId }) =>
      (await api.get(`/v1/cli/runs/${runId}/events`).set('accept', 'application/json')).body.items,
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/domains',
    prepare: async (world) => {
      const given = await theirSite(world);
      return { ...given, hostname: `${given.mark}.com` };
    },
    ask: ({ api }, { slug, by, hostname }) => api.post(`/v1/sites/${slug}/domains`).set(by).send({ hostname }),
    settled: saidBySite('"hostname":', 'SiteDomainAdded'),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/domains/access',
    prepare: withDomain,
    ask: ({ api }, { slug, by, hostname }) =>
      api.post(`/v1/sites/${slug}/domains/access`).set(by).send({ hostname, visibility: 'members', hsts: true }),
    settled: saidBySite('"visibility":"members"', 'SiteDomainChanged'),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/domains/{hostname}',
    prepare: withDomain,
    ask: ({ api, dns }, { slug, by, hostname, body: { verification, target } }) => {
      dns.zone = {
        ...dns.zone,
        [verification.name]: { TXT: [verification.value] },
        [hostname]: { CNAME: target.value },
      };
      return api.post(`/v1/sites/${slug}/domains/${hostname}`).set(by);
    },
    settled: (world, given) => domainLookedAt(world, given),
  }),
  verb({
    operation: 'DELETE /v1/sites/{slug}/domains/{hostname}',
    prepare: withDomain,
    ask: ({ api }, { slug, by, hostname }) => api.delete(`/v1/sites/${slug}/domains/${hostname}`).set(by),
  }),
  verb({
    operation: 'POST /v1/code/generate',
    way: 'of a template',
    prepare: async (world) => {
      const given = await somebody(world);
      return { ...given, slug: `site-${given.mark}` };
    },
    ask: ({ api }, { slug, by }) =>
      api.post('/v1/code/generate').set(by).send({ template: 'status-notice', parameters: NOTICE, deploy: true, slug }),
  }),
  verb({
    operation: 'POST /v1/code/generate',
    way: 'by a model',
    prepare: async (world) => {
      const given = await somebody(world);
      return { ...given, slug: `site-${given.mark}` };
    },
    ask: ({ api }, { slug, by }) =>
      api.post('/v1/code/generate').set(by).send({ prompt: 'A quiet page', deploy: true, slug }),
  }),
  verb({
    operation: 'POST /v1/admin/incidents',
    prepare: async (world) => ({ mark: world.mark() }),
    ask: ({ api }, { mark }) =>
      api
        .post('/v1/admin/incidents')
        .set(OPERATOR)
        .send({ title: mark, body: 'We look.', components: ['serve'], status: 'investigating' }),
    look: ({ stele }, { mark }) =>
      stele.query(
        `select i.status, count(*) from incidents i join incident_updates u on incident_id = i.id where title = '${mark}' group by 1`,
      ),
    again: 'another',
  }),
  verb({
    operation: 'PATCH /v1/admin/incidents/{id}',
    prepare: async (world) => {
      const mark = world.mark();
      const told = { title: mark, body: 'We look.', components: ['serve'], status: 'investigating' };
      const { body } = await world.api.post('/v1/admin/incidents').set(OPERATOR).send(told).expect(201);
      return { mark, id: String(body.id) };
    },
    ask: ({ api }, { id }) =>
      api.patch(`/v1/admin/incidents/${id}`).set(OPERATOR).send({ body: 'Mended.', status: 'resolved' }),
    look: ({ stele }, { mark }) =>
      stele.query(
        `select i.status, count(*) from incidents i join incident_updates u on incident_id = i.id where title = '${mark}' group by 1`,
      ),
    again: 'another',
  }),
];
