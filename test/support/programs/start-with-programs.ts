// Starts the built product with servers that a test already runs, using a `SiteServers` that only knows their
// addresses. A POST to the socket that STELE_TEST_PROGRAMS names sets an address, and records the deploy in the log.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import type { Provider } from '@nestjs/common';
import type { ServedProgram } from '../../../src/kernel/ports/site-servers.js';
import type { RefusalCode } from '../../../src/kernel/refusal.js';
import { deployIdOf } from '../events/deploy-id.ts';
import { product } from '../service/product.ts';

type Place = { readonly socketPath: string; readonly refusal?: RefusalCode };
type ToldDeploy = { siteId: string; digest: string; place: Place; isLive: boolean };

const { EventStore } = await product('kernel/event-store.js');
const { ServingStatus } = await product('kernel/ports/serving-status.js');
const { SiteServers } = await product('kernel/ports/site-servers.js');
const { Refusal } = await product('kernel/refusal.js');
const { ProcessModule } = await product('process/providers/process.module.js');

class RunningPrograms extends SiteServers {
  readonly places = new Map<string, Place>();
  counts = { used: 0, answered: 0, failed: 0 };

  override use({ deployId }: Pick<ServedProgram, 'deployId'>) {
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
}

const servers = new RunningPrograms();

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
  provide: SiteServers,
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

const withContext = ProcessModule.with;
ProcessModule.with = (context) => {
  const module = withContext.call(ProcessModule, context);
  const providers = (module.providers ?? []).filter(
    (each: Provider) => !('provide' in each) || each.provide !== SiteServers,
  );
  return { ...module, providers: [...providers, told] };
};
await product('main.js');
