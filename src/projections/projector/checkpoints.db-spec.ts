import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ProjectionProcesses } from '../../../test/support/database/projection-processes.js';
import { created, deployed } from '../../../test/support/events/site-examples.js';
import { siteStream } from '../../events/site/site.events.js';
import { siteReadModel } from '../models/site.projection.js';
import { allReadModels } from '../read-models.js';
import type { Checkpoints } from './checkpoints.js';

describe('Waiting for the read models', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
  });
  afterEach(() => keeping.close());

  /** Returns the position that the read models have reached, even if the first reads of the database time out. */
  async function known(checkpoints: Checkpoints, position: bigint): Promise<bigint> {
    for (;;) {
      const reached = await checkpoints.reached(position);
      if (reached > 0n) return reached;
    }
  }
  const moveAll = (position: number) => keeping.pool.query('update checkpoints set position = $1', [position]);

  it('a reader does not wait if the read models have already reached the requested position', async () => {
    const { checkpoints } = await keeping.process();
    await moveAll(5);
    expect(await checkpoints.reached(3n)).toBe(5n);
    await keeping.pool.query('drop table checkpoints');
    expect(await checkpoints.reached(5n)).toBe(5n);
    expect(await checkpoints.reached(0n)).toBe(5n);
  });

  it('a reader waits until the read models have reached the position of the write', async () => {
    const { checkpoints, keep } = await keeping.process();
    const waiting = checkpoints.reached(2n);
    await keep();
    await keeping.store.write(siteStream('site_1'), created);
    await keeping.store.write(siteStream('site_1'), deployed(1));
    expect(await waiting).toBe(2n);
    expect((await keeping.rows()).sites).toMatchObject([{ deploys: 1 }]);
  });

  it('a reader stops waiting when another process updates the read models', async () => {
    const here = await keeping.process();
    const elsewhere = await keeping.process();
    await elsewhere.keep();
    const waiting = here.checkpoints.reached(1n);
    await keeping.store.write(siteStream('site_1'), created);
    expect(await waiting).toBe(1n);
  });

  it('after a timeout, a reader gets the position that the read models have reached', async () => {
    const { checkpoints } = await keeping.process(150);
    await moveAll(4);
    const started = performance.now();
    expect(await known(checkpoints, 5n)).toBe(4n);
    expect(performance.now() - started).toBeGreaterThanOrEqual(145);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('a reader stops waiting after the timeout even if the database does not respond', async () => {
    const { checkpoints } = await keeping.process(150);
    const elsewhere = await keeping.pool.connect();
    await elsewhere.query('begin; lock table checkpoints');
    try {
      expect(await checkpoints.reached(5n)).toBe(0n);
    } finally {
      await elsewhere.query('rollback');
      elsewhere.release();
    }
  });

  it('a reader waits for the read model that is furthest behind', async () => {
    const { checkpoints } = await keeping.process(100);
    await moveAll(9);
    await keeping.pool.query('update checkpoints set position = 2 where name = $1', [siteReadModel.name]);
    expect(await known(checkpoints, 9n)).toBe(2n);
  });

  it('five hundred waiting readers cause no more queries than a single one', async () => {
    const { checkpoints, pool } = await keeping.process();
    const query = jest.spyOn(pool, 'query');
    const began = performance.now();
    const waiting = Array.from({ length: 500 }, () => checkpoints.reached(1n));
    while (query.mock.calls.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    await moveAll(1);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([1n]));
    // A single reader queries every 25 ms. Timers may fire up to a millisecond early.
    expect(query.mock.calls.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 24);
  });

  it('any number of readers can wait at the same time', async () => {
    const { checkpoints, keep } = await keeping.process();
    const waiting = Array.from({ length: 30 }, () => checkpoints.reached(1n));
    await keep();
    await keeping.store.write(siteStream('site_1'), created);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([1n]));
  });
});

describe('A checkpoint', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
  });
  afterEach(() => keeping.close());

  it('a checkpoint is moved only if it is at the position that the caller expects', async () => {
    const { checkpoints, pool } = await keeping.process();
    expect(await checkpoints.move(pool, siteReadModel, 0n, 7n)).toBe(0);
    expect(await checkpoints.move(pool, siteReadModel, 0n, 9n)).toBeNull();
    expect(await checkpoints.move(pool, siteReadModel, 9n, 10n)).toBeNull();
    expect(await checkpoints.move(pool, siteReadModel, 7n, 8n)).toBe(0);
    expect(await checkpoints.read(siteReadModel)).toBe(8n);
  });

  it('only one of many concurrent callers moves a checkpoint', async () => {
    const { checkpoints, pool } = await keeping.process();
    const moved = await Promise.all(
      Array.from({ length: 8 }, (_, n) => checkpoints.move(pool, siteReadModel, 0n, BigInt(n + 1))),
    );
    expect(moved.filter((stopped) => stopped !== null)).toHaveLength(1);
  });

  it('each version of a read model has its own checkpoint, so a new version starts at the first event', async () => {
    const { checkpoints, pool } = await keeping.process();
    await checkpoints.move(pool, siteReadModel, 0n, 7n);
    const next = { ...siteReadModel, version: siteReadModel.version + 1 };
    expect(await checkpoints.read(next)).toBe(0n);
    await checkpoints.create(next);
    expect(await checkpoints.move(pool, next, 0n, 3n)).toBe(0);
    expect(await checkpoints.read(siteReadModel)).toBe(7n);
  });

  it('a checkpoint stays the same when another process starts', async () => {
    const { checkpoints, pool } = await keeping.process();
    await checkpoints.move(pool, siteReadModel, 0n, 7n);
    const again = await keeping.process();
    expect(await again.checkpoints.read(siteReadModel)).toBe(7n);
    expect(again.checkpoints.lowest()).toBe(0n);
    expect(allReadModels).toContain(siteReadModel);
  });
});

describe('The pause between two batches', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
  });
  afterEach(() => keeping.close());

  const stays = new AbortController().signal;

  it('the pause between two batches ends when a reader starts waiting for the read models', async () => {
    const { checkpoints } = await keeping.process();
    const pause = checkpoints.pauseUnlessAwaited(60_000, stays);
    const reached = checkpoints.reached(1n);
    await pause;
    await checkpoints.pauseUnlessAwaited(60_000, stays);
    await keeping.pool.query('update checkpoints set position = 1');
    expect(await reached).toBe(1n);
  });

  it('a reader that need not wait does not cut short the pause between two batches', async () => {
    const { checkpoints } = await keeping.process();
    const ended = new AbortController();
    const pause = checkpoints.pauseUnlessAwaited(60_000, ended.signal).then(() => 'over');
    await checkpoints.reached(0n);
    expect(await Promise.race([pause, Promise.resolve('paused')])).toBe('paused');
    ended.abort();
    expect(await pause).toBe('over');
  });
});
