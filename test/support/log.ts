import { hash, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { catalogue, isChained } from '../../src/events/catalogue.js';
import { type SiteEvent, siteStream } from '../../src/events/site.events.js';
import { PostgresEngine } from '../../src/store/postgres.engine.js';
import type { Stele } from './stele.js';

/** Appends to a site's stream beside the service, as another process of it would. */
export async function tell({ database }: Stele, siteId: string, ...events: readonly SiteEvent[]): Promise<void> {
  const pool = new Pool({ ...database, max: 2 });
  const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text) => hash('sha256', text) });
  try {
    await store.start();
    const { head } = await store.read(siteStream(siteId));
    const by = { at: new Date().toISOString(), actor: { kind: 'system' } as const };
    const told = events.map((event) => ({ ...event, ...by, id: `evt_${randomUUID()}` }));
    if ((await store.append(siteStream(siteId), head, told)) === 'conflict') throw new Error('The stream moved on.');
  } finally {
    await store.stop();
    await pool.end();
  }
}
