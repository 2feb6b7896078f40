import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { catalogue, isChained } from '../events/catalogue.js';
import type { EventStore } from '../kernel/event-store.js';
import type { Settings } from '../settings/settings.js';
import { refuseNewerData } from '../storage/store/newer-data/newer-data.js';
import { PostgresEngine } from '../storage/store/postgres/postgres.engine.js';

/**
 * Opens and starts the event store that the service with these settings uses. Passes reasons for waiting to `say`.
 * Throws `NewerData`, as the service does.
 */
export async function openStore(
  { eventStoreUrl: url }: Settings,
  pool: Pool,
  say: (message: string) => void,
): Promise<EventStore & { stop(): Promise<void> }> {
  await refuseNewerData(pool, { catalogue, eventStoreUrl: url });
  const recording = { catalogue, isChained, digest: (text: string) => hash('sha256', text) };
  if (url === null) {
    const store = new PostgresEngine({ pool, ...recording });
    await store.start();
    return store;
  }
  const { KurrentEngine } = await import('../storage/store/kurrent/kurrent.engine.js');
  const store = new KurrentEngine({ url, say, ...recording });
  await store.start();
  return store;
}
