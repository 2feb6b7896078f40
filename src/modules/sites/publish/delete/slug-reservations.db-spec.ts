import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectionProcesses } from '../../../../../test/support/database/projection-processes.js';
import { created, deployed } from '../../../../../test/support/events/site-examples.js';
import { commandBus } from '../../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots } from '../../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../../adapters/random-ids.js';
import { SiteDeleted, SiteRenamed } from '../../../../events/site/settings.events.js';
import { siteStream } from '../../../../events/site/site.events.js';
import { SlugHeld, slugStream } from '../../../../events/slug.events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { after } from '../deploy/deploy-schemas.js';
import { SlugReservations } from './slug-reservations.js';

const slugs = ['amber-otter', 'blue-whale'];

describe('The slugs of a deleted site', () => {
  let keeping: ProjectionProcesses;
  let stopping: AbortController;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
    stopping = new AbortController();
  });
  afterEach(async () => {
    stopping.abort();
    await keeping.close();
  });

  /** Starts a process that updates the read models and reserves slugs. */
  async function start() {
    const { store } = keeping;
    const { db, checkpoints, keep } = await keeping.process();
    await keep();
    const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    const directory = new SiteDirectory(await commandBus(transactions), transactions, store);
    new SlugReservations(db.getRepository(SiteRow), store, checkpoints, directory).start(stopping.signal);
  }

  async function renamedSite() {
    for (const slug of slugs) await keeping.store.write(slugStream(slug), SlugHeld({ siteId: 'site_1' }));
    const renamed = SiteRenamed({ slug: 'blue-whale', before: 'amber-otter' });
    await keeping.store.write(siteStream('site_1'), created, deployed(1), renamed);
  }
  /** A recent time, because older deletions are ignored. */
  const at = new Date().toISOString();
  async function deleted() {
    const { head } = await keeping.store.read(siteStream('site_1'));
    const event = { ...SiteDeleted({}), id: 'evt_deleted', at, actor: { kind: 'system' } as const };
    await keeping.store.append(siteStream('site_1'), head, [event]);
  }

  /** Waits until every slug has a second event, and returns the last event of each slug. */
  const reservations = () =>
    Promise.all(
      slugs.map(async (slug) => {
        for await (const batch of keeping.store.watch(slugStream(slug), 1, stopping.signal)) return batch.at(-1);
        return undefined;
      }),
    );
  const kept = { type: 'SlugReserved', data: { siteId: 'site_1', until: after(at, 30 * 86_400) } };

  it('the slugs of a deleted site are reserved for thirty days, including former slugs', async () => {
    await renamedSite();
    await start();
    await deleted();
    expect(await reservations()).toMatchObject([kept, kept]);
  });

  it('slugs are reserved at the next start if the process exited before reserving them', async () => {
    await renamedSite();
    await deleted();
    await start();
    expect(await reservations()).toMatchObject([kept, kept]);
  });

  it('the slugs of a deleted site are reserved only once, even by concurrent processes', async () => {
    await renamedSite();
    await start();
    await start();
    await deleted();
    await reservations();
    await start();
    for (const slug of slugs) expect((await keeping.store.read(slugStream(slug))).head.revision).toBe(2);
  });
});
