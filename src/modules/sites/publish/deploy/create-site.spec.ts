import { beforeEach, describe, expect, it } from '@jest/globals';
import { by, digestOf, nobody } from '../../../../../test/support/events/site-examples.js';
import { commandBus } from '../../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../../adapters/random-ids.js';
import { StorageFullError } from '../../../../kernel/faults/storage-full.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { CreateSite, CreateSiteHandler } from './create-site.js';

describe('Creating a site again after the storage was full', () => {
  let store: MemoryStore;
  let handler: CreateSiteHandler;

  const create = (siteId: string) => {
    const content = { deployId: `dep_${siteId}`, manifest: digestOf('1'), files: 1, bytes: 1, message: null };
    const full = {
      ...content,
      source: 'upload' as const,
      jobId: null,
      commit: null,
      provenance: null,
      program: null,
      trusted: null,
      client: null,
    };
    return handler.execute(
      new CreateSite({
        context: by(nobody),
        siteId,
        slug: 'wanted',
        editTokenHash: digestOf('a'),
        owner: null,
        content: full,
        expiry: null,
        attempt: 'retry',
      }),
    );
  };

  beforeEach(async () => {
    store = new MemoryStore();
    const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    handler = new CreateSiteHandler(
      transactions,
      new SiteDirectory(await commandBus(transactions), transactions, store),
    );
    store.beforeAppend = async (stream) => {
      if (stream.startsWith('site-')) throw new StorageFullError('There is no room left.');
    };
    await expect(create('site_1')).rejects.toBeInstanceOf(StorageFullError);
    store.beforeAppend = async () => undefined;
  });

  it('another site can take the slug of a site that could not be stored', async () => {
    expect(await create('site_2')).toMatchObject({ state: { status: 'live', slug: 'wanted' } });
    await expect(create('site_1')).rejects.toMatchObject({ code: 'slug_taken' });
  });

  it('a site that could not be stored gets its slug if it is the first to retry', async () => {
    expect(await create('site_1')).toMatchObject({ state: { status: 'live', slug: 'wanted' } });
    await expect(create('site_2')).rejects.toMatchObject({ code: 'slug_taken' });
  });
});
