import { hash, randomUUID } from 'node:crypto';
import type { World } from './world.js';

/** An action that simulated clients start `perSecond` times each second, even if earlier ones have not finished. */
export type Act = {
  readonly kind: string;
  readonly perSecond: number;
  readonly once: (world: World) => Promise<unknown>;
};

const HTML = { accept: 'text/html,*/*;q=0.8' };

const visits: Act[] = [
  { kind: 'visit', perSecond: 12, once: (world) => world.ask({ site: world.site().slug, path: '/', headers: HTML }) },
  {
    kind: 'visit',
    perSecond: 2,
    once: (world) => world.ask({ site: world.site().slug, path: `/${randomUUID()}` }, 404),
  },
  { kind: 'visit', perSecond: 1, once: (world) => world.ask({ path: `/s/${world.site().slug}/` }) },
  {
    kind: 'visit',
    perSecond: 1,
    once: (world) => world.ask({ site: world.site().deployId.replace('_', '-'), path: '/' }),
  },
  {
    kind: 'visit',
    perSecond: 2,
    once: async (world) => {
      const { slug } = world.site();
      const { headers } = await world.ask({ site: slug, path: '/' });
      await world.ask({ site: slug, path: '/', headers: { 'if-none-match': String(headers.etag) } }, 200, 304);
    },
  },
  {
    kind: 'guarded visit',
    perSecond: 0.2,
    once: async (world) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const question = { site: 'soak-guarded', path: '/.stele/', headers, body: 'password=open+sesame' };
      const entered = await world.ask(question, 303);
      const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] ?? '';
      await world.ask({ site: 'soak-guarded', path: '/', headers: { cookie } }, 200);
    },
  },
];

const publishing: Act[] = [
  {
    kind: 'deploy',
    perSecond: 1,
    once: async (world) => {
      const { slug, owner } = world.site();
      await world.deploy(`?slug=${slug}`, owner, randomUUID(), 'PATCH');
    },
  },
  {
    kind: 'rollback',
    perSecond: 0.3,
    once: (world) => {
      const { slug, owner, deployId } = world.site();
      return world.as(owner, 'POST', `/v1/sites/${slug}/rollback`, { deployId });
    },
  },
  {
    kind: 'short site',
    perSecond: 0.4,
    once: async (world) => {
      const { slug, editToken = '' } = await world.deploy('?expires=5m', {}, randomUUID());
      await world.ask({ site: slug, path: '/' });
      const headers = { 'x-svc-edit-token': editToken };
      await world.ask({ method: 'DELETE', path: `/v1/sites/${slug}`, headers });
    },
  },
  {
    kind: 'upload',
    perSecond: 0.1,
    once: async (world) => {
      const { slug, owner } = world.site();
      const content = randomUUID().repeat(500);
      const sha256 = hash('sha256', content);
      await world.ask({ method: 'PUT', path: `/v1/uploads/${sha256}`, headers: owner, body: content });
      const body = { files: [{ path: 'large.txt', sha256 }] };
      await world.ask({ method: 'PATCH', path: `/v1/deploy?slug=${slug}&mode=merge`, headers: owner, body });
    },
  },
  {
    kind: 'generate',
    perSecond: 0.05,
    once: (world) => {
      const parameters = { title: randomUUID(), state: 'resolved', stateText: 'Resolved' };
      return world.as(world.owner, 'POST', '/v1/code/generate', { template: 'status-notice', parameters });
    },
  },
];

/** Maximum time that a read waits for earlier writes (docs/interface/conventions.md, "Read your writes"). */
const LONGEST_WAIT_MS = 2_000;

const jobOf = async (world: World, name: string) => {
  const headers = world.owner;
  const body = { url: world.git.url(name), slug: `repo-${name}` };
  const { jobId } = await world.service.get<{ jobId: string }>({ path: '/v1/repo/deploy', headers, body });
  // This request takes as long as the job, because a job's stream ends with the job.
  await world.ask({ path: `/v1/jobs/${jobId}/events`, headers: { ...headers, accept: 'application/x-ndjson' } });
  for (let read = 1; ; read++) {
    const began = performance.now();
    const { status } = await world.service.get<{ status: string }>({ path: `/v1/jobs/${jobId}`, headers });
    if (status === 'succeeded') return;
    const took = Math.round(performance.now() - began);
    // Once the stream has ended, a read must show that the job has ended, unless the read waited for the maximum time.
    const isPossiblyLate = status === 'running' && took >= LONGEST_WAIT_MS && read < 3;
    if (!isPossiblyLate) throw new Error(`A job of ${name} has ${status} after ${took} ms, though its stream is over.`);
  }
};

const managing: Act[] = [
  {
    kind: 'read',
    perSecond: 2,
    once: (world) => {
      const { slug, owner } = world.site();
      const parts = ['', '/deploys', '/history', '/files', '/files.zip', '/logs', '/analytics', '/members', '/jobs'];
      const path = world.any([...parts.map((part) => `/v1/sites/${slug}${part}`), '/v1/me/sites', '/v1/me/sessions']);
      return world.as(owner, 'GET', path);
    },
  },
  {
    kind: 'settings',
    perSecond: 0.3,
    once: async (world) => {
      const { slug, owner } = world.site();
      const path = `/v1/sites/${slug}`;
      await world.as(owner, 'PATCH', path, { title: randomUUID() });
      await world.as(owner, 'PUT', `${path}/secrets/KEY`, { value: randomUUID() });
      const { id } = await world.service.get<{ id: string }>({
        path: `${path}/tokens`,
        headers: owner,
        body: { name: 'soak', role: 'viewer' },
      });
      await world.as(owner, 'DELETE', `${path}/tokens/${id}`);
    },
  },
  {
    kind: 'sign-in',
    perSecond: 0.1,
    once: async (world) => {
      const bearer = await world.signIn(`somebody-${randomUUID()}@example.org`);
      await world.as(bearer, 'GET', '/v1/me');
      await world.as(bearer, 'DELETE', '/v1/me');
    },
  },
  { kind: 'job', perSecond: 0.1, once: (world) => jobOf(world, 'plain') },
  {
    kind: 'run',
    perSecond: 0.2,
    once: async (world) => {
      const runId = `run_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
      for (const kind of ['run.started', 'run.log', 'run.succeeded'])
        await world.as(world.owner, 'POST', '/v1/cli/event', { runId, kind, data: { text: kind } });
    },
  },
  {
    kind: 'about',
    perSecond: 0.3,
    once: (world) => world.ask({ path: world.any(['/health', '/metrics', '/openapi.json', '/']) }),
  },
];

const build: Act = { kind: 'build', perSecond: 0.03, once: (world) => jobOf(world, 'built') };

const watching: Act[] = [
  {
    kind: 'agent',
    perSecond: 1,
    once: async (world) => {
      const invoked = world.as(world.owner, 'POST', '/v1/sites/soak-wired/connector/invoke', { input: { n: 1 } });
      const answered = agentAnswers(world);
      await Promise.all([invoked, answered]);
    },
  },
  {
    kind: 'tools',
    perSecond: 0.3,
    once: (world) =>
      world.ask({
        path: '/mcp',
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      }),
  },
];

/** Polls as an agent. There are as many agents as callers, so each call gets a result. */
async function agentAnswers(world: World): Promise<void> {
  const headers = world.connectorToken;
  const { status, bytes } = await world.ask({ path: '/v1/connector/poll?wait=20', headers }, 200, 204);
  if (status === 204) return;
  const { id } = JSON.parse(bytes.toString()) as { id: string };
  await world.ask({ path: `/v1/connector/result/${id}`, headers, body: { output: 1 } });
}

export const acts = (builds: boolean): readonly Act[] => [
  ...visits,
  ...publishing,
  ...managing,
  ...watching,
  ...(builds ? [build] : []),
];
