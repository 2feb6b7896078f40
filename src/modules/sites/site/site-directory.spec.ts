import { describe, expect, it } from '@jest/globals';
import { commandBus } from '../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import { SiteDeleted, SiteRenamed } from '../../../events/site/settings.events.js';
import { SiteCreated, siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SiteDirectory } from './site-directory.js';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 12, minutes)).toISOString();
const taken = { code: 'slug_taken' };

async function directory() {
  const store = new MemoryStore();
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  return { store, directory: new SiteDirectory(await commandBus(transactions), transactions, store) };
}

describe('A slug that is held', () => {
  it('is not held for another while its site may still come', async () => {
    const { directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await expect(slugs.hold('otter', 'site_b', at(9))).rejects.toMatchObject(taken);
    await slugs.hold('otter', 'site_a', at(9));
  });

  it('lapses after ten minutes when its site never came to be', async () => {
    const { directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await slugs.hold('otter', 'site_b', at(11));
    await expect(slugs.hold('otter', 'site_a', at(12))).rejects.toMatchObject(taken);
  });

  it('never lapses once its site is there', async () => {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await store.write(siteStream('site_a'), SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) }));
    await expect(slugs.hold('otter', 'site_b', at(60))).rejects.toMatchObject(taken);
  });
});

describe('A slug of a site that was deleted', () => {
  /** Its process ended before it could reserve the slug. */
  async function cutShort() {
    const { store, directory: slugs } = await directory();
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

describe('A slug that a site is about to have', () => {
  /** A site called “otter” that holds “beaver” too. */
  async function renaming() {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await store.write(siteStream('site_a'), SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) }));
    await slugs.holdAnew('beaver', 'site_a', at(0));
    return {
      slugs,
      renamed: () => store.write(siteStream('site_a'), SiteRenamed({ slug: 'beaver', before: 'otter' })),
    };
  }

  it('leads nowhere yet, and is not held for another', async () => {
    const { slugs } = await renaming();
    expect(await slugs.find('beaver', at(1))).toBeNull();
    await expect(slugs.hold('beaver', 'site_b', at(9))).rejects.toMatchObject(taken);
  });

  it('leads to the site once it was renamed, as its older one does, and neither lapses', async () => {
    const { slugs, renamed } = await renaming();
    await renamed();
    for (const slug of ['otter', 'beaver']) {
      expect(await slugs.find(slug, at(60))).toMatchObject({ siteId: 'site_a', state: { slug: 'beaver' } });
      await expect(slugs.hold(slug, 'site_b', at(60))).rejects.toMatchObject(taken);
      await expect(slugs.holdAnew(slug, 'site_b', at(60))).rejects.toMatchObject(taken);
    }
  });

  it('lapses after ten minutes when the site did not take it', async () => {
    const { slugs } = await renaming();
    await slugs.hold('beaver', 'site_b', at(11));
    await expect(slugs.holdAnew('beaver', 'site_a', at(12))).rejects.toMatchObject(taken);
  });

  it('has ten minutes more when the site tries again', async () => {
    const { slugs } = await renaming();
    await slugs.holdAnew('beaver', 'site_a', at(9));
    await expect(slugs.hold('beaver', 'site_b', at(18))).rejects.toMatchObject(taken);
    await slugs.hold('beaver', 'site_b', at(20));
  });
});
