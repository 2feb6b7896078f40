// Starts the built product with servers that a test already runs. A POST to the socket in STELE_TEST_PROGRAMS adds a
// server, and records its deploy in the log.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import type { ServedDeploy } from '../../../src/kernel/ports/served-deploy.js';
import type { RefusalCode } from '../../../src/kernel/refusal.js';
import { deployIdOf } from '../events/deploy-id.ts';
import { product } from '../service/product.ts';

type Place = { readonly socketPath: string; readonly refusal?: RefusalCode };
type ToldDeploy = { siteId: string; digest: string; place: Place; isLive: boolean };

const { EventStore } = await product('kernel/event-store.js');
const { ServingStatus } = await product('kernel/ports/serving-status.js');
const { Refusal } = await product('kernel/refusal.js');
const { KnownServers } = await product('modules/servers/api/known-servers.js');
const { ServersModule } = await product('modules/servers/servers.module.js');

class RunningServers implements Pick<InstanceType<typeof KnownServers>, 'use' | 'linesBeforeCrash'> {
  readonly places = new Map<string, Place>();
  counts = { used: 0, answered: 0, failed: 0 };

  use({ deployId }: Pick<ServedDeploy, 'deployId'>) {
    const place = this.places.get(deployId);
    if (!place) return Promise.reject(new Refusal('server_failed', 'It is not running.'));
    if (place.refusal) return Promise.reject(new Refusal(place.refusal));
    this.counts.used += 1;
    return {
      address: place,
      release: (outcome: 'answered' | 'failed') => {
        this.counts[outcome] += 1;
      },
      setSilent: () => undefined,
    };
  }

  linesBeforeCrash() {
    return Promise.resolve([]);
  }
}

const servers = new RunningServers();

async function deploy(
  store: InstanceType<typeof EventStore>,
  serving: InstanceType<typeof ServingStatus>,
  { siteId, digest, place, isLive }: ToldDeploy,
) {
  const stream = `site-${siteId}`;
  const { events, head } = await store.read(stream);
  const deploys = events.filter(({ type }) => type === 'SiteDeployed' || type === 'SiteStaged');
  const deployId = `dep_0${digest.slice(0, 25)}`;
  servers.places.set(deployId, place);
  const data = {
    deployId,
    number: deploys.length + 1,
    manifest: digest,
    files: 0,
    bytes: 1_000,
    source: 'repo',
    message: null,
    jobId: null,
    commit: null,
    provenance: null,
    client: null,
    program: { kind: 'container' },
    trusted: true,
    ...(isLive && { replaced: deployIdOf(deploys.findLast(({ type }) => type === 'SiteDeployed')) }),
  };
  const event = { type: isLive ? 'SiteDeployed' : 'SiteStaged', data, id: `evt_${randomUUID()}` };
  const appended = await store.append(stream, head, [
    { ...event, at: new Date().toISOString(), actor: { kind: 'system' as const } },
  ]);
  if (appended === 'conflict') throw new Error('Another append came first.');
  await serving.reached(appended.position);
  return { deployId };
}

const told = {
  provide: KnownServers,
  inject: [EventStore, ServingStatus],
  useFactory: (store: InstanceType<typeof EventStore>, serving: InstanceType<typeof ServingStatus>) => {
    createServer(async (request, response) => {
      const answer =
        request.method === 'POST' ? await deploy(store, serving, JSON.parse(await text(request))) : servers.counts;
      response.end(JSON.stringify(answer));
    })
      .listen(process.env.STELE_TEST_PROGRAMS)
      .unref();
    return servers;
  },
};

const providers: readonly Provider[] = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, ServersModule);
const others = providers.filter((each) => each !== KnownServers);
Reflect.defineMetadata(MODULE_METADATA.PROVIDERS, [...others, told], ServersModule);
await product('main.js');
