// Starts the built product, and publishes programs on the word of a test: POST on the socket that STELE_TEST_DEPLOYS
// names stores a body as content and records it as a deploy of a site, as the job that built it would.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const product = (path) => import(new URL(`../../../dist/${path}`, import.meta.url));
const { EventStore } = await product('kernel/event-store.js');
const { BlobStore } = await product('storage/blobs/blob-store.js');
const { ServingStatus } = await product('kernel/ports/serving-status.js');
const { ProcessModule } = await product('process/providers/process.module.js');

async function publish(store, serving, blobs, { siteId, kind, trusted }, content) {
  const intake = blobs.begin();
  const { sha256, size } = await intake.add(content);
  await intake.seal();
  const stream = `site-${siteId}`;
  const { events, head } = await store.read(stream);
  const deploys = events.filter(({ type }) => type === 'SiteDeployed' || type === 'SiteStaged');
  const deployId = `dep_0${randomUUID().replaceAll('-', '').slice(0, 25)}`;
  const last = events.findLast(({ type }) => type === 'SiteDeployed' || type === 'SiteRolledBack');
  const data = {
    ...{ deployId, number: deploys.length + 1, manifest: sha256, files: 0, bytes: size, source: 'repo' },
    ...{ message: null, jobId: null, commit: null, provenance: null, program: { kind }, trusted: JSON.parse(trusted) },
    replaced: last?.data.deployId ?? null,
  };
  const event = { type: 'SiteDeployed', data, id: `evt_${randomUUID()}` };
  const made = { ...event, at: new Date().toISOString(), actor: { kind: 'system' } };
  const { position } = await store.append(stream, head, [made]);
  await serving.reached(position);
  return { deployId };
}

const listening = {
  provide: 'deploys of a test',
  inject: [EventStore, ServingStatus, BlobStore],
  useFactory: (store, serving, blobs) => {
    // One that was killed has left it.
    rmSync(process.env.STELE_TEST_DEPLOYS, { force: true });
    return createServer(async (request, response) => {
      const wanted = Object.fromEntries(new URL(request.url, 'http://test').searchParams);
      const made = await publish(store, serving, blobs, wanted, await buffer(request));
      response.end(JSON.stringify(made));
    })
      .listen(process.env.STELE_TEST_DEPLOYS)
      .unref();
  },
};

const withContext = ProcessModule.with;
ProcessModule.with = (context) => {
  const module = withContext.call(ProcessModule, context);
  return { ...module, providers: [...module.providers, listening] };
};
await product('main.js');
