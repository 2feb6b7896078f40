import { describe, expect, it } from '@jest/globals';
import { MemorySnapshots, MemoryStore } from '../../../test/support/memory-store.js';
import { RandomIds } from '../../edge/random-ids.js';
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
