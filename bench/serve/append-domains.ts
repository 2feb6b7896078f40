import { hash, randomUUID } from 'node:crypto';
import { pg, product } from '../product.ts';

const { catalogue, isChained } = await product('events/catalogue.js');
const { DomainActivated, DomainAdded, domainStream } = await product('events/domain.events.js');
const { emptyStream } = await product('kernel/event-store.js');
const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');

const AT_ONCE = 64;

/** Appends events that assign `count` hostnames to a site, and returns the hostnames. */
export async function appendDomains(connectionString: string, siteId: string, count: number): Promise<string[]> {
  const pool = new pg.Pool({ connectionString, max: 8 });
  const store = new PostgresEngine({ pool, catalogue, isChained, digest: (text: string) => hash('sha256', text) });
  await store.start();
  const names = Array.from({ length: count }, (_, n) => `www.customer-${n}.com`);
  const left = names.values();
  const until = new Date(Date.now() + 604_800_000).toISOString();
  const settings = { redirectTo: null, visibility: null, hsts: false };
  const one = async () => {
    for (const name of left) {
      const token = hash('sha256', name).slice(0, 32);
      const events = [
        DomainAdded({ siteId, token, redirectTo: null, until }),
        DomainActivated({ siteId, replaced: null, ...settings }),
      ];
      const by = { at: new Date().toISOString(), actor: { kind: 'system' } } as const;
      const ids = events.map((event) => ({ ...event, ...by, id: `evt_${randomUUID()}` }));
      if ((await store.append(domainStream(name), emptyStream, ids)) === 'conflict')
        throw new Error(`${name} already exists.`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await store.stop();
  await pool.end();
  return names;
}
