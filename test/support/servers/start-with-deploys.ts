// Starts the built product. A POST to the socket at STELE_TEST_DEPLOYS stores its body as content, and records a deploy
// of it as a build job would.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { deployIdOf } from '../events/deploy-id.ts';
import { product } from '../service/product.ts';

const { EventStore } = await product('kernel/event-store.js');
const { BlobStore } = await product('storage/blobs/blob-store.js');
const { ServingStatus } = await product('kernel/ports/serving-status.js');
const { ProcessModule } = await product('process/providers/process.module.js');

type Store = InstanceType<typeof EventStore>;
type Serving = InstanceType<typeof ServingStatus>;
type Blobs = InstanceType<typeof BlobStore>;
type Wanted = { readonly siteId: string; readonly kind: string; readonly trusted: unknown };

async function publish(
  store: Store,
  serving: Serving,
  blobs: Blobs,
  { siteId, kind, trusted }: Wanted,
  content: Buffer,
) {
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
    ...{ message: null, jobId: null, commit: null, provenance: null, client: null, program: { kind }, trusted },
    replaced: deployIdOf(last),
  };
  const event = { type: 'SiteDeployed', data, id: `evt_${randomUUID()}` };
  const made = { ...event, at: new Date().toISOString(), actor: { kind: 'system' as const } };
  const appended = await store.append(stream, head, [made]);
  if (appended === 'conflict') throw new Error('Another append came first.');
  await serving.reached(appended.position);
  return { deployId };
}

const { STELE_TEST_DEPLOYS: socket = '' } = process.env;

const listening = {
  provide: 'deploys of a test',
  inject: [EventStore, ServingStatus, BlobStore],
  useFactory: (store: Store, serving: Serving, blobs: Blobs) => {
    // Removes the socket of an earlier process, which remains if that process was killed.
    rmSync(socket, { force: true });
    return createServer(async (request, response) => {
      const asked = new URL(request.url ?? '/', 'http://test').searchParams;
      const wanted = {
        siteId: asked.get('siteId') ?? '',
        kind: asked.get('kind') ?? '',
        trusted: JSON.parse(asked.get('trusted') ?? 'null'),
      };
      const made = await publish(store, serving, blobs, wanted, await buffer(request));
      response.end(JSON.stringify(made));
    })
      .listen(socket)
      .unref();
  },
};

const withContext = ProcessModule.with;
ProcessModule.with = (context: Parameters<typeof withContext>[0]) => {
  const module = withContext.call(ProcessModule, context);
  return { ...module, providers: [...(module.providers ?? []), listening] };
};
await product('main.js');
