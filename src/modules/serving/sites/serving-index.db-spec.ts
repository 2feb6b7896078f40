import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServingIndexes } from '../../../../test/support/database/serving-indexes.js';
import { activated, added } from '../../../../test/support/events/domain-examples.js';
import { created, deployed, digestOf, rolledBack, server } from '../../../../test/support/events/site-examples.js';
import { DomainLost, domainStream, type HostnameEvent } from '../../../events/domain.events.js';
import { CapabilitySet, SiteDeleted, SiteDescribed, SiteRenamed } from '../../../events/site/settings.events.js';
import { SiteCreated, siteStream } from '../../../events/site/site.events.js';
import { SlugHeld } from '../../../events/slug.events.js';

describe('ServingIndex', () => {
  let log: ServingIndexes;
  beforeEach(async () => {
    log = await ServingIndexes.open();
  });
  afterEach(() => log.close());

  /** Starts a serving index. Returns the index and the log positions from which it started to follow the log. */
  async function startedFrom() {
    const positions: bigint[] = [];
    const { follow } = log.keeping.store;
    log.keeping.store.follow = (position, signal) => {
      positions.push(position);
      return follow(position, signal);
    };
    return { index: await log.started(), positions };
  }

  const one = { siteId: 'site_1', slug: 'amber-otter', anonymous: true, expiresAt: null, takenDown: false };

  it('has no sites if the log is empty', async () => {
    const index = await log.started();
    expect(index.site('amber-otter')).toBeUndefined();
    expect(index.position).toBe(0n);
  });

  it('can be stopped while it starts, even if it has not received any events from the log', async () => {
    await log.happened(created);
    const { promise: isFollowing, resolve } = Promise.withResolvers<void>();
    log.keeping.store.follow = async function* (_, signal) {
      resolve();
      await once(signal, 'abort');
      yield [];
    };
    const started = log.started();
    await isFollowing;
    log.stop();
    expect((await started).position).toBe(0n);
  });

  it('shows each publish and rollback once its event has been applied', async () => {
    const index = await log.started();
    await index.reached(await log.happened(created));
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: null });
    await index.reached(await log.happened(deployed(1)));
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('1') });
    await index.reached(await log.happened(deployed(2, 'dep_1')));
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('2') });
    await index.reached(await log.happened(rolledBack(1, 2)));
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('1') });
    expect(index.siteById('site_1')).toBe(index.site('amber-otter'));
    expect(index.position).toBe(4n);
  });

  it('distinguishes a site that runs a server from a site that serves files', async () => {
    const program = { ...one, deployId: 'dep_2', manifest: digestOf('2'), program: 'next' };
    const index = await log.started();
    await index.reached(await log.happened(created, deployed(1), server(2, 'dep_1')));
    expect(index.site('amber-otter')).toMatchObject(program);
    await log.readModelsCaughtUp();
    expect((await log.started()).site('amber-otter')).toMatchObject(program);
    await index.reached(await log.happened(rolledBack(1, 2)));
    expect(index.site('amber-otter')).toMatchObject({ ...one, deployId: 'dep_1', program: null });
  });

  it('shows a change to a caller that started waiting before the change', async () => {
    const index = await log.started();
    const seen = index.reached(2n).then(() => index.site('amber-otter')?.manifest);
    await log.happened(created, deployed(1));
    expect(await seen).toBe(digestOf('1'));
  });

  it('keeps sites apart, and ignores events about anything but sites', async () => {
    const index = await log.started();
    await log.happened(created, deployed(1));
    await log.keeping.store.write('slug-amber-otter', SlugHeld({ siteId: 'site_1' }));
    const other = SiteCreated({ slug: 'blue-whale', editTokenHash: null });
    await log.keeping.store.write(siteStream('site_2'), other, deployed(2));
    await index.reached(5n);
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('1') });
    expect(index.site('blue-whale')).toMatchObject({
      siteId: 'site_2',
      slug: 'blue-whale',
      manifest: digestOf('2'),
      anonymous: false,
      expiresAt: null,
      takenDown: false,
    });
    expect(index.site('site_1')).toBeUndefined();
  });

  it('starts from the read model and reads only later events from the log', async () => {
    await log.happened(created, deployed(1), deployed(2, 'dep_1'));
    await log.readModelsCaughtUp();
    await log.happened(rolledBack(1, 2));
    const { index, positions } = await startedFrom();
    expect(positions).toEqual([3n]);
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('1') });
    await index.reached(await log.happened(deployed(3, 'dep_1')));
    expect(index.site('amber-otter')?.manifest).toBe(digestOf('3'));
  });

  it('reads from the read model which sites have an owner', async () => {
    await log.happened(SiteCreated({ slug: 'amber-otter', editTokenHash: null }), deployed(1));
    await log.readModelsCaughtUp();
    const { index, positions } = await startedFrom();
    expect(positions).toEqual([2n]);
    expect(index.site('amber-otter')).toMatchObject({
      ...one,
      manifest: digestOf('1'),
      anonymous: false,
      expiresAt: null,
      takenDown: false,
    });
  });

  it('waits in start() until all recorded events are applied if the read model lags behind', async () => {
    await log.happened(created);
    await log.readModelsCaughtUp();
    await log.happened(deployed(1), deployed(2, 'dep_1'), rolledBack(1, 2));
    const index = await log.started();
    expect(index.site('amber-otter')?.manifest).toBe(digestOf('1'));
    expect(index.position).toBe(4n);
  });

  it('the modification time of a site increases with each change and stays the same after a restart', async () => {
    const index = await log.started();
    const times: (number | null | undefined)[] = [];
    for (const event of [created, deployed(1), deployed(2, 'dep_1'), rolledBack(1, 2)]) {
      await index.reached(await log.happened(event));
      times.push(index.site('amber-otter')?.modifiedAt);
    }
    const [none, first, ...rest] = times;
    expect([none, (first ?? 0) % 1_000]).toEqual([null, 0]);
    expect(rest[0]).toBeGreaterThan(first ?? 0);
    expect(rest[1]).toBeGreaterThan(rest[0] ?? 0);

    await log.readModelsCaughtUp();
    expect((await log.started()).site('amber-otter')?.modifiedAt).toBe(rest[1]);
    await log.keeping.pool.query('update checkpoints set position = 0');
    expect((await log.started()).site('amber-otter')?.modifiedAt).toBe(rest[1]);
  });

  it('tolerates events that the loaded rows already include', async () => {
    await log.happened(created, deployed(1), deployed(2, 'dep_1'), rolledBack(1, 2));
    await log.readModelsCaughtUp();
    await log.keeping.pool.query('update checkpoints set position = 0');
    const { index, positions } = await startedFrom();
    expect(positions).toEqual([0n]);
    expect(index.site('amber-otter')).toMatchObject({ ...one, manifest: digestOf('1') });
  });

  const renamed = (before: string, slug: string) => SiteRenamed({ before, slug });
  const settings = [
    SiteDescribed({ title: '', description: '', robots: 'noindex' }),
    CapabilitySet({ name: 'spa', enabled: true, config: {} }),
    CapabilitySet({ name: 'listing', enabled: true, config: {} }),
    CapabilitySet({ name: 'spa', enabled: false, config: {} }),
    CapabilitySet({ name: 'analytics', enabled: true, config: {} }),
  ];

  it.each([
    ['while following the log', false],
    ['from the read model', true],
  ])('returns a site with its current settings for each slug that it has had: %s', async (_, fromRows) => {
    const early = fromRows ? null : await log.started();
    const last = await log.happened(
      created,
      deployed(1),
      renamed('amber-otter', 'second'),
      renamed('second', 'third'),
      ...settings,
    );
    if (fromRows) await log.readModelsCaughtUp();
    const index = early ?? (await log.started());
    await index.reached(last);
    for (const slug of ['amber-otter', 'second', 'third'])
      expect(index.site(slug)).toMatchObject({
        siteId: 'site_1',
        slug: 'third',
        robots: 'noindex',
        capabilities: { spa: false, listing: true, connector: false, analytics: true },
      });
  });

  it.each([
    ['while following the log', false],
    ['from the read model', true],
  ])('does not find a deleted site by any slug or by its ID: %s', async (_, fromRows) => {
    const early = fromRows ? null : await log.started();
    const last = await log.happened(created, deployed(1), renamed('amber-otter', 'second'), SiteDeleted({}));
    if (fromRows) await log.readModelsCaughtUp();
    const index = early ?? (await log.started());
    await index.reached(last);
    for (const slug of ['amber-otter', 'second']) expect(index.site(slug)).toBeUndefined();
    expect(index.siteById('site_1')).toBeUndefined();
  });

  it.each([
    ['while following the log', false],
    ['from the read model', true],
  ])('finds a site by hostname only while the hostname is active there: %s', async (_, fromRows) => {
    const early = fromRows ? null : await log.started();
    await log.happened(created, deployed(1));
    const domain = (hostname: string, ...events: HostnameEvent[]) =>
      log.keeping.store.write(domainStream(hostname), ...events);
    await domain('www.example.com', added(2), activated(2), added(1), activated(1, 2));
    await domain('example.com', added(1), activated(1), DomainLost({ siteId: 'site_1' }));
    await domain('pending.example.com', added(1));
    if (fromRows) await log.readModelsCaughtUp();
    const index = early ?? (await log.started());
    await index.reached(await log.keeping.store.lastPosition());
    expect(index.siteOn('www.example.com')).toBe(index.siteById('site_1'));
    for (const hostname of ['example.com', 'pending.example.com']) expect(index.siteOn(hostname)).toBeUndefined();
  });
});
