import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ProjectionProcesses } from '../../../test/support/database/projection-processes.js';
import { randomHistory } from '../../../test/support/events/random-history.js';
import { created, deployed } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { SiteDeleted } from '../../events/site/settings.events.js';
import {
  readSiteId,
  type SiteEvent,
  SiteForgotten,
  SiteTakenDown,
  siteEvents,
  siteStream,
} from '../../events/site/site.events.js';
import { deployReadModel } from '../models/deploy.projection.js';
import { siteReadModel } from '../models/site.projection.js';
import { type AnyReadModel, defineReadModel } from '../read-model.js';
import { allReadModels } from '../read-models.js';
import { ofVersion } from '../table-names.js';
import type { RebuildProgress } from './rebuild-progress.js';

/** The next version of the read model of sites, with an additional column. */
@Entity('sites')
class NextSiteRow {
  @PrimaryColumn('text', { name: 'site_id' }) siteId!: string;
  @Column('text') slug!: string;
  @Column('integer') events!: number;
}

const nextSites = defineReadModel<NextSiteRow, SiteEvent>(
  siteEvents.map(({ type }) => type),
  {
    name: 'site',
    version: siteReadModel.version + 1,
    entity: NextSiteRow,
    touches: ({ stream }) => [readSiteId(stream)],
    evolve: (row, { type, data }, siteId) => ({
      siteId,
      slug: type === 'SiteCreated' ? data.slug : (row?.slug ?? ''),
      events: (row?.events ?? 0) + 1,
    }),
  },
);
const nextModels = allReadModels.map((model) => (model === siteReadModel ? nextSites : model));

const table = ofVersion('sites', siteReadModel.version);
const nextTable = ofVersion('sites', siteReadModel.version + 1);
const deploysTable = ofVersion('deploys', deployReadModel.version);

describe('Rebuilding read models', () => {
  const open: ProjectionProcesses[] = [];
  const never = new AbortController().signal;
  const untold = () => undefined;
  const keepingOn = async (store = new MemoryStore()) => {
    const keeping = await ProjectionProcesses.open(store);
    open.push(keeping);
    return keeping;
  };
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await keepingOn();
  });

  const tell = async (story: ReturnType<typeof randomHistory>) => {
    for (const { siteId, event } of story) await keeping.store.write(siteStream(siteId), event);
  };
  const tables = async () => {
    const { rows } = await keeping.pool.query<{ name: string }>(
      "select relname as name from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace order by 1",
    );
    return rows.map(({ name }) => name);
  };
  const positionOf = async (model: AnyReadModel) => {
    const { rows } = await keeping.pool.query('select position from checkpoints where name = $1 and version = $2', [
      model.name,
      model.version,
    ]);
    return rows[0]?.position as string | undefined;
  };

  it.each([1, 2, 3])(
    'a rebuild produces the same rows as normal updates, with limited memory: history %i',
    async (seed) => {
      const process = await keeping.process(25_000, allReadModels, 12);
      await process.keep();
      await tell(randomHistory(seed, 1_500));
      await process.checkpoints.reached(1_500n);
      const lived = await keeping.rows();
      const names = await tables();

      // Damage the existing rows, which the rebuild must not use.
      await keeping.pool.query(
        `update ${table} set slug = 'spoilt'; delete from ${deploysTable}; update history set type = 'Spoilt'`,
      );
      await process.rebuilder.rebuild(allReadModels, never, untold);
      expect(await keeping.rows()).toEqual(lived);
      const aside = (name: string) => name.includes('_replaced_');
      expect((await tables()).filter((name) => !aside(name))).toEqual(names);
      expect((await tables()).filter(aside).length).toBeGreaterThanOrEqual(allReadModels.length);
    },
  );

  it('a rebuild leaves out removed sites, whether or not their events were deleted', async () => {
    const process = await keeping.process();
    await process.keep();
    await keeping.store.write(siteStream('prb_1'), created, deployed(1), deployed(2, 'dep_1'), SiteDeleted({}));
    await keeping.store.write(siteStream('site_1'), created, deployed(3));
    await process.checkpoints.reached(6n);
    await keeping.store.write(siteStream('prb_1'), SiteForgotten({}));
    await keeping.store.write(siteStream('site_2'), created, deployed(4));
    await process.checkpoints.reached(9n);
    const kept = await keeping.rows();
    const rows = Object.values(kept).flat() as { readonly site_id?: string }[];
    expect(rows.map(({ site_id }) => site_id)).toEqual(expect.arrayContaining(['site_1', 'site_2']));
    expect(rows.map(({ site_id }) => site_id)).not.toContain('prb_1');

    await process.rebuilder.rebuild(allReadModels, never, untold);
    expect(await keeping.rows()).toEqual(kept);
    await keeping.store.truncate(siteStream('prb_1'), 4);
    for (const { differences } of await process.rebuilder.verify(allReadModels, never, untold))
      expect(differences).toEqual([]);
  });

  it('after a rebuilt table is put into use, updates continue from the position of the rebuild', async () => {
    const process = await keeping.process();
    await process.keep();
    await tell(randomHistory(5, 300));
    await process.rebuilder.rebuild([siteReadModel], never, untold);
    await keeping.store.write(siteStream('site_new'), created, deployed(1));
    expect(await process.checkpoints.reached(302n)).toBe(302n);
    expect((await keeping.rows()).sites).toEqual(
      expect.arrayContaining([expect.objectContaining({ site_id: 'site_new', deploys: 1 })]),
    );
    expect(await process.rebuilder.verify(allReadModels, never, untold)).toEqual(
      allReadModels.map(({ name }) => expect.objectContaining({ model: name, position: 302n, differences: [] })),
    );
    expect(process.troubles).toEqual([]);
  });

  it('a rebuild does not affect concurrent readers, writers and projectors', async () => {
    const [process, other] = await Promise.all([keeping.process(), keeping.process()]);
    await Promise.all([process.keep(), other.keep()]);
    const story = randomHistory(9, 1_200);
    await tell(story.slice(0, 600));
    await process.checkpoints.reached(600n);

    let isOver = false;
    let newest = 0;
    const reading = (async () => {
      while (!isOver) {
        const repository = other.db.getRepository(siteReadModel.entity);
        const [rows, total] = await repository.findAndCount({ order: { siteId: 'asc' } as object });
        expect(rows.length).toBe(total);
        expect(total).toBeGreaterThanOrEqual(newest);
        newest = total;
      }
    })();
    const appending = tell(story.slice(600));
    for (let time = 0; time < 4; time++) await process.rebuilder.rebuild(allReadModels, never, untold);
    await appending;
    await process.checkpoints.reached(1_200n);
    isOver = true;
    await reading;
    for (const verdict of await other.rebuilder.verify(allReadModels, never, untold)) {
      expect(verdict).toMatchObject({ position: 1_200n, differences: [], rows: verdict.expectedRows });
    }
    expect([...process.troubles, ...other.troubles]).toEqual([]);
  }, 60_000);

  it('a rebuild waits for a long-running reader without blocking other readers', async () => {
    const process = await keeping.process();
    await process.keep();
    await tell(randomHistory(4, 60));
    const reader = await keeping.pool.connect();
    await reader.query(`begin; select * from ${table}`);
    const rebuilding = process.rebuilder.rebuild([siteReadModel], never, untold);
    const isBuilding = async () => (await tables()).some((name) => name.startsWith(`${table}_building`));
    while (!(await isBuilding())) await new Promise((resolve) => setTimeout(resolve, 10));
    for (let time = 0; time < 8; time++) {
      const began = performance.now();
      await keeping.pool.query(`select count(*) from ${table}`);
      expect(performance.now() - began).toBeLessThan(10_000);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(await isBuilding()).toBe(true);
    await reader.query('commit');
    reader.release();
    await rebuilding;
    expect(await isBuilding()).toBe(false);
  });

  it('only one process at a time can rebuild a read model', async () => {
    const [process, other] = await Promise.all([keeping.process(), keeping.process()]);
    await tell(randomHistory(6, 200));
    const { scan } = keeping.store;
    const reading = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    keeping.store.scan = async function* (position, last, signal) {
      reading.resolve();
      await goOn.promise;
      yield* scan.call(keeping.store, position, last, signal);
    };
    const rebuilding = process.rebuilder.rebuild([siteReadModel], never, untold);
    await reading.promise;
    await expect(other.rebuilder.rebuild([siteReadModel], never, untold)).rejects.toMatchObject({
      name: 'RebuildInProgressError',
    });
    goOn.resolve();
    await rebuilding;
  });

  it('an interrupted rebuild changes nothing, and the next rebuild removes its leftover tables', async () => {
    const process = await keeping.process();
    await process.keep();
    await tell(randomHistory(8, 900));
    await process.checkpoints.reached(900n);
    const before = await keeping.rows();
    const reported: RebuildProgress[] = [];
    const end = () =>
      keeping.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stele rebuild' and datname = current_database()",
      );
    const ending: Promise<unknown>[] = [];
    // A reader of the table keeps the rebuild from finishing before its session is terminated.
    const reader = await keeping.pool.connect();
    await reader.query(`begin; select from ${table}`);
    await expect(
      process.rebuilder.rebuild(allReadModels, never, (progress) => {
        reported.push(progress);
        ending.push(end());
      }),
    ).rejects.toThrow();
    await Promise.all(ending);
    await reader.query('commit');
    reader.release();
    expect(reported.length).toBeGreaterThan(0);
    expect(await keeping.rows()).toEqual(before);
    await process.rebuilder.rebuild([siteReadModel], never, untold);
    expect(await keeping.rows()).toEqual(before);
    expect((await tables()).filter((name) => name.includes('_building_'))).toEqual([]);
  });

  describe('Rebuilding after the version of a read model was increased', () => {
    it('the new table is built while the old one is still read and updated', async () => {
      const old = await keeping.process();
      await old.keep();
      await tell(randomHistory(3, 400));
      await old.checkpoints.reached(400n);
      const next = await keeping.process(25_000, nextModels, 50, []);
      expect(await next.rebuilder.missing(nextModels)).toEqual([nextSites]);
      await next.rebuilder.buildMissing(nextModels, never, untold);
      await next.keep();

      await keeping.store.write(siteStream('site_new'), created, deployed(1));
      await Promise.all([old.checkpoints.reached(402n), next.checkpoints.reached(402n)]);
      const { rows } = await keeping.pool.query(`select * from ${nextTable} where site_id = 'site_new'`);
      expect(rows).toEqual([{ site_id: 'site_new', slug: 'amber-otter', events: 2 }]);
      expect((await keeping.rows()).sites).toEqual(
        expect.arrayContaining([expect.objectContaining({ site_id: 'site_new', deploys: 1, revision: 2 })]),
      );
      expect(await next.db.getRepository(NextSiteRow).findOneBy({ siteId: 'site_new' })).toMatchObject({ events: 2 });
      expect([...old.troubles, ...next.troubles]).toEqual([]);
    });

    it('the new table is built only once, no matter how many processes start', async () => {
      await (await keeping.process()).keep();
      await tell(randomHistory(3, 400));
      const starting = await Promise.all(Array.from({ length: 3 }, () => keeping.process(25_000, nextModels, 50, [])));
      const reported: RebuildProgress[] = [];
      await Promise.all(
        starting.map(({ rebuilder }) =>
          rebuilder.buildMissing(nextModels, never, (progress) => reported.push(progress)),
        ),
      );
      expect(reported.filter(({ phase }) => phase === 'swapping')).toHaveLength(1);
      expect(await positionOf(nextSites)).toBe('400');
    });

    it('the old table is dropped a day after its last update, but not earlier', async () => {
      await keeping.process();
      await keeping.store.write(siteStream('site_1'), created);
      const next = await keeping.process(25_000, nextModels, 50, []);
      await next.rebuilder.buildMissing(nextModels, never, untold);
      await next.rebuilder.sweep();
      expect(await tables()).toContain(table);
      await keeping.pool.query("update checkpoints set kept_at = now() - interval '25 hours'");
      await next.rebuilder.sweep();
      expect(await tables()).not.toContain(table);
      expect(await tables()).toEqual(expect.arrayContaining([nextTable, deploysTable, 'history']));
      expect(await positionOf(siteReadModel)).toBeUndefined();
    });
  });

  it('a replaced table is dropped after an hour, but not earlier', async () => {
    const process = await keeping.process();
    await tell(randomHistory(2, 50));
    await process.rebuilder.rebuild([siteReadModel], never, untold);
    await process.rebuilder.sweep();
    const replaced = async () =>
      (await tables()).filter((name) => new RegExp(`^${table}_replaced_[0-9a-f]+$`).test(name));
    expect(await replaced()).toHaveLength(1);
    await keeping.pool.query("update rebuilds set updated_at = now() - interval '61 minutes'");
    await process.rebuilder.sweep();
    expect(await replaced()).toEqual([]);
    expect(await process.rebuilder.states()).toEqual([]);
  });

  it('a rebuild that cannot apply an event reports the event’s position and changes nothing', async () => {
    const process = await keeping.process();
    await process.keep();
    await tell(randomHistory(1, 30));
    await keeping.store.write(siteStream('site_bad'), created, deployed(2 ** 40));
    await tell(randomHistory(2, 30));
    await process.checkpoints.reached(62n);
    const before = await keeping.rows();
    for (const rowsInMemory of [4, 1_000]) {
      const { rebuilder } = await keeping.process(25_000, allReadModels, rowsInMemory);
      await expect(rebuilder.rebuild(allReadModels, never, untold)).rejects.toMatchObject({
        name: 'UnappliableEventError',
        message: expect.stringMatching(/position 32 .*out of range for type integer/),
      });
    }
    expect(await keeping.rows()).toEqual(before);
  });

  it('a rebuild stops at an event whose type this version does not know', async () => {
    const process = await keeping.process();
    await process.keep();
    await tell(randomHistory(1, 10));
    const { scan } = keeping.store;
    keeping.store.scan = async function* (position, last, signal) {
      for await (const batch of scan.call(keeping.store, position, last, signal)) {
        yield batch.map((event) => (event.position === 7n ? { ...event, type: 'SiteRepainted' } : event));
      }
    };
    await expect(process.rebuilder.rebuild([siteReadModel], never, untold)).rejects.toThrow(
      /position 7 .*SiteRepainted/,
    );
  });

  it('verifying a read model reports rows that differ from the log, are missing, or should not exist', async () => {
    const process = await keeping.process();
    await process.keep();
    for (const n of [1, 2, 3])
      await keeping.store.write(siteStream(`site_${n}`), created, SiteTakenDown({ reason: 'x' }));
    await process.checkpoints.reached(6n);
    await keeping.pool.query(`
      update ${table} set taken_down = false where site_id = 'site_1';
      delete from ${table} where site_id = 'site_2';
      create temp table copied as select * from ${table} where site_id = 'site_3';
      update copied set site_id = 'site_4';
      insert into ${table} select * from copied`);
    const [verdict, others] = await process.rebuilder.verify(allReadModels, never, untold);
    expect(verdict).toMatchObject({ model: 'site', rows: 3, expectedRows: 3, position: 6n });
    expect(verdict?.digest).not.toBe(verdict?.expectedDigest);
    expect(verdict?.differences.map(({ key, actual, expected }) => [key, actual !== null, expected !== null])).toEqual([
      ['site_1', true, true],
      ['site_2', false, true],
      ['site_4', true, false],
    ]);
    expect(others).toMatchObject({ model: 'deploy', differences: [] });
    await process.rebuilder.sweep();
    expect((await tables()).filter((name) => name.includes('checking'))).toEqual([]);
  });
});
