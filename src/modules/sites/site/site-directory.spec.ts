import { describe, expect, it } from '@jest/globals';
import { queued, source } from '../../../../test/support/events/job-examples.js';
import { commandBus } from '../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import { type JobEvent, JobFailed, JobForgotten, JobStopped, jobStream } from '../../../events/job.events.js';
import { SiteDeleted, SiteRenamed, SiteSlugReleased } from '../../../events/site/settings.events.js';
import { SiteCreated, SiteJobQueued, siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SiteDirectory } from './site-directory.js';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 12, minutes)).toISOString();
const taken = { code: 'slug_taken' };

async function directory() {
  const store = new MemoryStore();
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  return { store, directory: new SiteDirectory(await commandBus(transactions), transactions, store) };
}

describe('A held slug', () => {
  it('a held slug is unavailable to other sites while its site might still be created', async () => {
    const { directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await expect(slugs.hold('otter', 'site_b', at(9))).rejects.toMatchObject(taken);
    await slugs.hold('otter', 'site_a', at(9));
  });

  it('the hold on a slug lapses after ten minutes if the site was not created', async () => {
    const { directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await slugs.hold('otter', 'site_b', at(11));
    await expect(slugs.hold('otter', 'site_a', at(12))).rejects.toMatchObject(taken);
  });

  it('the hold on a slug never lapses once the site exists', async () => {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    await store.write(siteStream('site_a'), SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) }));
    await expect(slugs.hold('otter', 'site_b', at(60))).rejects.toMatchObject(taken);
  });
});

describe('The slug of a deleted site', () => {
  /** Deletes a site as if the process had exited before it could reserve the slug. Returns the directory of slugs. */
  async function cutShort() {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    const created = SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) });
    await store.write(siteStream('site_a'), created, SiteDeleted({}));
    return slugs;
  }
  const days = (n: number) => at(n * 24 * 60);

  it('a deleted site’s slug is unavailable to others for thirty days, even without a recorded reservation', async () => {
    const slugs = await cutShort();
    expect(await slugs.find('otter', days(29))).toMatchObject({ siteId: 'site_a', state: { status: 'deleted' } });
    await expect(slugs.hold('otter', 'site_b', days(29))).rejects.toMatchObject(taken);
  });

  it('a deleted site’s slug becomes available again after thirty days', async () => {
    const slugs = await cutShort();
    expect(await slugs.find('otter', days(30))).toBeNull();
    await slugs.hold('otter', 'site_b', days(30));
  });
});

describe('The slug of a site that never had a deploy', () => {
  /**
   * Creates a site with one queued job, then records these events of the job. Without events, the job has not ended.
   */
  async function tried(...ended: JobEvent[]) {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_1', at(0));
    const made = SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) });
    await store.write(siteStream('site_1'), made, SiteJobQueued({ jobId: 'job_1', source, linkId: null, dueAt: null }));
    await store.write(jobStream('job_1'), queued, ...ended);
    return { store, slugs };
  }
  const failed = JobFailed({ code: 'build_failed', message: 'x' });

  it.each([
    ['failed', failed],
    ['was stopped', JobStopped({ error: null })],
    ['is forgotten', JobForgotten({})],
  ])(
    'the slug of a site without a deploy is free once its job %s, and the site exists until another site takes the slug',
    async (_, end) => {
      const { store, slugs } = await tried(end);
      expect(await slugs.find('otter', at(1))).toMatchObject({ siteId: 'site_1', state: { status: 'live' } });
      await slugs.hold('otter', 'site_b', at(1));
      expect(await slugs.find('otter', at(1))).toBeNull();
      const { events } = await store.read(siteStream('site_1'));
      expect(events.map(({ type }) => type).slice(2)).toEqual(['SiteSlugReleased', 'SiteDeleted']);
      expect(await slugs.wasGivenBack('otter')).toBe(true);
      await expect(slugs.hold('otter', 'site_c', at(9))).rejects.toMatchObject(taken);
    },
  );

  it('the slug of a site without a deploy is taken while its job is running', async () => {
    const { slugs } = await tried();
    await expect(slugs.hold('otter', 'site_b', at(60))).rejects.toMatchObject(taken);
  });

  it('a slug becomes free if the process exited after recording the site but before recording its job', async () => {
    const { store, directory: slugs } = await directory();
    await slugs.hold('otter', 'site_a', at(0));
    const made = SiteCreated({ slug: 'otter', editTokenHash: 'a'.repeat(64) });
    await store.write(siteStream('site_a'), made, SiteJobQueued({ jobId: 'job_1', source, linkId: null, dueAt: null }));
    const { events } = await store.read(siteStream('site_a'));
    const later = (minutes: number) => new Date(Date.parse(events[1]!.at) + minutes * 60_000).toISOString();
    await expect(slugs.hold('otter', 'site_b', later(9))).rejects.toMatchObject(taken);
    await slugs.hold('otter', 'site_b', later(10));
  });

  it('a slug is free if the process exited after releasing it but before giving it to another site', async () => {
    const { store, slugs } = await tried(failed);
    await store.write(siteStream('site_1'), SiteSlugReleased({ slug: 'otter', jobId: 'job_1' }), SiteDeleted({}));
    expect(await slugs.find('otter', at(1))).toBeNull();
    await slugs.hold('otter', 'site_b', at(1));
  });
});

describe('A slug held for renaming an existing site', () => {
  /** Returns a site called "otter" that also holds the slug "beaver". */
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

  it('a slug held for a rename leads to no site and is unavailable to other sites', async () => {
    const { slugs } = await renaming();
    expect(await slugs.find('beaver', at(1))).toBeNull();
    await expect(slugs.hold('beaver', 'site_b', at(9))).rejects.toMatchObject(taken);
  });

  it('the new slug and the former slug lead to the site after a rename, and neither lapses', async () => {
    const { slugs, renamed } = await renaming();
    await renamed();
    for (const slug of ['otter', 'beaver']) {
      expect(await slugs.find(slug, at(60))).toMatchObject({ siteId: 'site_a', state: { slug: 'beaver' } });
      await expect(slugs.hold(slug, 'site_b', at(60))).rejects.toMatchObject(taken);
      await expect(slugs.holdAnew(slug, 'site_b', at(60))).rejects.toMatchObject(taken);
    }
  });

  it('a slug held for a rename lapses after ten minutes if the site is not renamed', async () => {
    const { slugs } = await renaming();
    await slugs.hold('beaver', 'site_b', at(11));
    await expect(slugs.holdAnew('beaver', 'site_a', at(12))).rejects.toMatchObject(taken);
  });

  it('a slug is held for ten more minutes if the rename is tried again', async () => {
    const { slugs } = await renaming();
    await slugs.holdAnew('beaver', 'site_a', at(9));
    await expect(slugs.hold('beaver', 'site_b', at(18))).rejects.toMatchObject(taken);
    await slugs.hold('beaver', 'site_b', at(20));
  });
});
