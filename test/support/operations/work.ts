import type { Given } from '../faults/points/observed.js';
import { verb } from '../faults/points/verb.js';
import { type Headers, OPERATOR, type World } from '../faults/points/world.js';
import { newRunId } from '../sites/runs.js';
import { EDIT, type Operation, OWN, owns, READ } from './operation.js';
import { freeName, somebody, theirSite } from './starting-points.js';

const jobsDone = (world: World) =>
  world.until(async () => (await world.stele.query('select from job_queue')).length === 0);

/** Waits until the job was stopped, or has started to fetch its repository since the service was last started. */
const underWayOrStopped = (world: World, { by, jobId }: Given & { readonly by: Headers; readonly jobId: string }) =>
  world.until(async () => {
    const { body } = await world.api.get(`/v1/jobs/${jobId}`).set(by);
    const [step] = body.steps;
    // After a restart, a job still shows the last step of its previous attempt until a worker takes it again.
    return body.status === 'stopped' || (body.status === 'running' && step && step.startedAt > world.startedAt);
  });

type OfJobs = Given & { readonly slug: string; readonly by: Headers };

/**
 * The site's newest job may fail because the disk is full or a server did not respond. A rerun then repeats its work.
 */
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

async function linkedSite(world: World) {
  const given = await theirSite(world);
  const asked = world.api.put(`/v1/sites/${given.slug}/repository`).set(given.by);
  await asked.send({ url: world.host.url('plain') }).expect(200);
  return given;
}

export const work: readonly Operation[] = [
  {
    operation: 'POST /v1/repo/check',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: somebody,
        ask: ({ api, host }, { by }) =>
          api
            .post('/v1/repo/check')
            .set(by)
            .send({ url: host.url('plain') }),
      }),
    ],
  },
  {
    operation: 'POST /v1/repo/deploy',
    statuses: [409, 409, 403, 200, 200, 200],
    hidden: [409, 409, 403, 200, 200, 200],
    body: ({ slug }) => ({ url: 'http://127.0.0.1:9/nothing.git', slug }),
    verbs: [
      verb({
        between: 'The site is created, without content, before its job. Workers find a job that was recorded.',
        prepare: freeName,
        ask: ({ api, host }, { by, slug }) =>
          api
            .post('/v1/repo/deploy')
            .set(by)
            .send({ url: host.url('plain'), slug }),
        settled: (world) => jobsDone(world),
        later: ofJobs,
      }),
      verb({
        way: 'of the linked repository',
        between: 'Workers find a job that was recorded, even if no client got a response.',
        prepare: linkedSite,
        ask: ({ api }, { by, slug }) => api.post('/v1/repo/deploy').set(by).send({ slug }),
        settled: (world) => jobsDone(world),
        later: ofJobs,
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/rerun',
    statuses: EDIT,
    verbs: [
      verb({
        between: 'Workers find a job that was recorded, even if no client got a response.',
        prepare: builtSite,
        settled: (world) => jobsDone(world),
        later: ofJobs,
      }),
    ],
  },
  {
    operation: 'GET /v1/sites/{slug}/repository',
    // Members get 404 because no repository is linked to the site.
    statuses: [401, 403, 403, 404, 404, 404],
  },
  {
    operation: 'PUT /v1/sites/{slug}/repository',
    statuses: OWN,
    body: () => ({ url: 'http://127.0.0.1:9/nothing.git' }),
    verbs: [
      verb({
        prepare: theirSite,
        ask: ({ api, host }, { by, slug }) =>
          api
            .put(`/v1/sites/${slug}/repository`)
            .set(by)
            .send({ url: host.url('plain') }),
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/repository',
    statuses: owns(204),
    verbs: [verb({ prepare: linkedSite })],
  },
  {
    operation: 'POST /v1/jobs/{id}/stop',
    statuses: [404, 404, 403, 409, 409, 409],
    verbs: [
      verb({
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
    ],
  },
  {
    operation: 'POST /v1/cli/event',
    callers: [400, 400],
    verbs: [
      verb({
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
    ],
  },
  {
    operation: 'POST /v1/admin/incidents',
    callers: [400, 400],
    verbs: [
      verb({
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
    ],
  },
  {
    operation: 'PATCH /v1/admin/incidents/{id}',
    callers: [400, 400],
    verbs: [
      verb({
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
    ],
  },
  {
    operation: 'GET /v1/sites/{slug}/jobs',
    statuses: READ,
  },
  {
    operation: 'GET /v1/jobs/{id}',
    // Anyone who has a job's ID can read it if its site is anonymous.
    statuses: [404, 404, 200, 200, 200, 200],
  },
  {
    operation: 'GET /v1/jobs/{id}/events',
    statuses: [404, 404, 200, 200, 200, 200],
    headers: { accept: 'application/json' },
  },
  {
    operation: 'GET /v1/cli/runs/{runId}/events',
    callers: [404, 404],
  },
  {
    operation: 'GET /v1/admin/incidents',
    callers: [401, 403],
  },
];
