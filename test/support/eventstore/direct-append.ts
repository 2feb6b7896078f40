import { hash, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { catalogue, isChained } from '../../../src/events/catalogue.js';
import { type SiteEvent, siteStream } from '../../../src/events/site/site.events.js';
import type { DomainEvent } from '../../../src/kernel/decider.js';
import { PostgresEngine } from '../../../src/storage/store/postgres/postgres.engine.js';
import type { Stele } from '../service/stele.js';

/** Appends to a site's stream directly, as another process of the service would. */
export const appendDirectly = (stele: Stele, siteId: string, ...events: readonly SiteEvent[]): Promise<void> =>
  appendBeside(stele, siteStream(siteId), events);

/** Appends to any stream directly, as another process of the service would. */
export async function appendBeside(stele: Stele, stream: string, events: readonly DomainEvent[]): Promise<void> {
  const { store, close } = await openedBeside(stele);
  try {
    await store.start();
    const { head } = await store.read(stream);
    const by = { at: new Date().toISOString(), actor: { kind: 'system' } as const };
    const told = events.map((event) => ({ ...event, ...by, id: `evt_${randomUUID()}` }));
    if ((await store.append(stream, head, told)) === 'conflict') throw new Error('The stream moved on.');
  } finally {
    await store.stop();
    await close();
  }
}

async function openedBeside({ database, eventStoreUrl: url }: Stele) {
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url) {
    const { KurrentEngine } = await import('../../../src/storage/store/kurrent/kurrent.engine.js');
    return { store: new KurrentEngine({ url, ...recording }), close: async () => undefined };
  }
  const pool = new Pool({ ...database, max: 2 });
  return { store: new PostgresEngine({ pool, ...recording }), close: () => pool.end() };
}
