import { describe, expect, it } from '@jest/globals';
import { MemorySnapshots, MemoryStore } from '../../../test/support/memory-store.js';
import { RandomIds } from '../../edge/random-ids.js';
import { SiteDeleted } from '../../events/settings.events.js';
import { SiteCreated, siteStream } from '../../events/site.events.js';
import { Transactions } from '../../kernel/transactions.js';
import { SiteDirectory } from './site-directory.js';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 12, minutes)).toISOString();
const taken = { code: 'slug_taken' };

function directory() {
  const store = new MemoryStore();
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  return { store, directory: new SiteDirectory(transactions, store) };
}

describe('A slug that is held', () => {
  it('is not held for another while its site may still come', async () => {
    const { directory: slugs } = directory();
    await slugs.hold('otter', 'site_a', at(0));
    await expect(slugs.hold('otter', 'site_b', at(9))).rejects.toMatchObject(taken);
    await slugs.hold('otter', 'site_a', at(9));
  });

  it('lapses after ten minutes when its site never came to be', async () => {
    const { directory: slugs } = directory();
    await slugs.hold('otter', 'site_a', at(0));
    await slugs.hold('otter', 'site_b', at(11));
    await expect(slugs.hold('otter', 'site_a', at(12))).rejects.toMatchObject(taken);
  });

  it('never lapses once its site is there', async () => {
    const { store, directory: slugs } = directory();
    await slugs.hold('otter', 'site_a', at(0));
    await store.write(siteStream('site_a'), SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) }));
    await expect(slugs.hold('otter', 'site_b', at(60))).rejects.toMatchObject(taken);
  });
});

describe('A slug of a site that was deleted', () => {
  /** Its process ended before it could reserve the slug. */
  async function cutShort() {
    const { store, directory: slugs } = directory();
    await slugs.hold('otter', 'site_a', at(0));
    const created = SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) });
    await store.write(siteStream('site_a'), created, SiteDeleted({}));
    return slugs;
  }
  const days = (n: number) => at(n * 24 * 60);

  it('is kept from others for thirty days, though nobody wrote that down', async () => {
    const slugs = await cutShort();
    expect(await slugs.find('otter', days(29))).toMatchObject({ siteId: 'site_a', state: { status: 'deleted' } });
    await expect(slugs.hold('otter', 'site_b', days(29))).rejects.toMatchObject(taken);
  });

  it('is free after that', async () => {
    const slugs = await cutShort();
    expect(await slugs.find('otter', days(30))).toBeNull();
    await slugs.hold('otter', 'site_b', days(30));
  });
});
