// needs: database, git

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite } from '../support/connector/connector-site.js';
import { answerTo } from '../support/fuzz/answer.js';
import { faultOfHead, judgedEvents } from '../support/fuzz/described-answer.js';
import { type Generating, startGenerating } from '../support/model/generating.js';
import { manner } from '../support/model/model-server.js';
import { goodPage } from '../support/model/pages.js';
import { OpenApiChecker, type Schema } from '../support/service/openapi-checker.js';
import type { Stele } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver } from '../support/sites/jobs.js';
import { eventsOf, newRunId, tell } from '../support/sites/runs.js';

type Asked = { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: object };
type Described = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };

/** Requests of the operations that return events or lines, by operation ID. Each response contains at least one. */
const asking: Readonly<Record<string, () => Promise<Asked>>> = {
  watchSite: async () => ({ method: 'GET', url: `/v1/sites/${site.slug}/events` }),
  logs: async () => ({ method: 'GET', url: `/v1/sites/${site.slug}/logs` }),
  history: async () => ({ method: 'GET', url: `/v1/sites/${site.slug}/history` }),
  listFiles: async () => ({ method: 'GET', url: `/v1/sites/${site.slug}/files` }),
  watchRun: async () => {
    const runId = newRunId();
    await tell(stele, runId, 'run.started').expect(202);
    return { method: 'GET', url: eventsOf(runId) };
  },
  watchJob: async () => {
    const body = { url: host.url('streamed') };
    const { jobId } = (await stele.api.post('/v1/repo/deploy').set(site.owner).send(body).expect(200)).body;
    await jobOver(stele, jobId, site.owner);
    return { method: 'GET', url: `/v1/jobs/${jobId}/events` };
  },
  invokeConnector: async () => {
    const agent = await agentOf(stele, site);
    void answeredBy(agent);
    return { method: 'POST', url: `/v1/sites/${site.slug}/connector/invoke`, body: { input: 1 } };
  },
  generate: async () => {
    generating.model.answer(manner.says(goodPage()));
    return { method: 'POST', url: '/v1/code/generate', body: { prompt: 'a page' } };
  },
};

let host: GitHost;
let generating: Generating;
let stele: Stele;
let site: ConnectorSite;

describe('Event streams and JSON Lines responses', () => {
  beforeAll(async () => {
    host = await GitHost.open();
    host.commit('streamed', { 'index.html': '<h1>Streamed</h1>' });
    generating = await startGenerating({ STELE_REPO_HOSTS: host.listed });
    stele = generating.stele;
    site = await connectorSite(stele);
  }, 60_000);
  afterAll(async () => {
    await generating?.stop();
    await host.close();
  });

  it('each streamed event or line matches its schema in /openapi.json', async () => {
    const streams = await describedStreams();
    const judged: Record<string, number> = {};
    const checker = await OpenApiChecker.of(stele.base);
    for (const { operationId, type } of streams) {
      // The first event can be late, so a stream without events is read a second time, for longer.
      for (const quietMs of [150, 6_000]) {
        const { method, url, body } = (await asking[operationId]?.()) ?? { method: 'GET', url: '/not/asked' };
        const sent = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
        const headers = { ...site.owner, accept: type, ...(body && { 'content-type': 'application/json' }) };
        const answer = await answerTo({ method, url, headers, body: sent }, stele.port, quietMs);
        checker.check(method, url, answer);
        const described = checker.describedOf(method, url, answer.status);
        if (!described) break;
        expect(faultOfHead(checker, described, answer)).toBeNull();
        const events = judgedEvents(checker, described, answer);
        judged[`${operationId} ${type}`] = events;
        if (events > 0) break;
      }
    }
    expect(Object.keys(judged)).toEqual(streams.map(({ operationId, type }) => `${operationId} ${type}`));
    expect(Object.entries(judged).filter(([, events]) => events === 0)).toEqual([]);
  }, 120_000);
});

/** Returns the operation and media type of each response whose description has a schema for single events or lines. */
async function describedStreams() {
  const { paths } = (await (await fetch(`${stele.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, Described> }>>;
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content).flatMap(([type, { schema }]) => (schema?.contentSchema ? [{ operationId, type }] : [])),
      ),
    );
}

async function answeredBy(agent: Awaited<ReturnType<typeof agentOf>>) {
  const { body } = await agent.poll(20).expect(200);
  await agent.answer(body.id, { output: 'done' }).expect(200);
}
