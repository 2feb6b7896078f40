import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectionProcesses } from '../../../test/support/database/projection-processes.js';
import { randomHistory } from '../../../test/support/events/random-history.js';
import { created, deployed } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { RunLogged, runStream } from '../../events/run.events.js';
import { siteStream } from '../../events/site/site.events.js';
import { siteReadModel } from '../models/site.projection.js';
import { allReadModels } from '../read-models.js';
import { ofVersion } from '../table-names.js';

const table = ofVersion('sites', siteReadModel.version);

describe('Updating read models', () => {
  const open: ProjectionProcesses[] = [];
  const keepingOn = async (store = new MemoryStore()) => {
    const keeping = await ProjectionProcesses.open(store);
    open.push(keeping);
    return keeping;
  };
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await keepingOn();
  });
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  const tell = async (store: MemoryStore, story: ReturnType<typeof randomHistory>) => {
    for (const { siteId, event } of story) await store.write(siteStream(siteId), event);
  };

  /** Returns the rows of all read models after a single process has applied the whole log. */
  async function rowsOf(store: MemoryStore) {
    const own = await keepingOn(store);
    const process = await own.process();
    await process.keep();
    const last = await store.lastPosition();
    expect(await process.checkpoints.reached(last)).toBe(last);
    return own.rows();
  }

  const positions = async () => {
    const { rows } = await keeping.pool.query<{ name: string; position: string }>(
      'select name, position from checkpoints order by name',
    );
    return rows;
  };

  it.each([1, 2, 3, 4])('the rows do not depend on the batch size: history %i', async (seed) => {
    const story = randomHistory(seed, 120);
    const rowsInBatchesOf = async (size: number) => {
      const store = new MemoryStore(size);
      await tell(store, story);
      return rowsOf(store);
    };
    const all = await rowsInBatchesOf(Number.POSITIVE_INFINITY);
    expect(await rowsInBatchesOf(1)).toEqual(all);
    expect(await rowsInBatchesOf(7)).toEqual(all);
    expect(all.history).toHaveLength(120);
    expect(all.deploys?.length).toBeGreaterThan(20);
  });

  it('a restarted projector continues to follow a growing log', async () => {
    const story = randomHistory(7, 90);
    await tell(keeping.store, story.slice(0, 30));
    const first = await keeping.process();
    await first.keep();
    await first.checkpoints.reached(30n);
    await tell(keeping.store, story.slice(30, 60));
    await first.checkpoints.reached(60n);
    await first.stop();
    await tell(keeping.store, story.slice(60));
    const second = await keeping.process();
    await second.keep();
    expect(await second.checkpoints.reached(90n)).toBe(90n);
    expect(await keeping.rows()).toEqual(await rowsOf(keeping.store));
    expect([...first.troubles, ...second.troubles]).toEqual([]);
  });

  it('a projector that is behind does not pause between batches', async () => {
    const story = randomHistory(13, 510);
    const store = new MemoryStore(250);
    await tell(store, story.slice(0, 500));
    const { checkpoints, keep } = await (await keepingOn(store)).process();
    let rests = 0;
    checkpoints.pauseUnlessAwaited = async () => void rests++;
    await keep();
    expect(await checkpoints.reached(500n)).toBe(500n);
    expect(rests).toBe(0);
    await tell(store, story.slice(500));
    expect(await checkpoints.reached(510n)).toBe(510n);
    expect(rests).toBeGreaterThan(0);
  });

  it('three processes together produce the same rows as one, and apply each event once', async () => {
    const story = randomHistory(11, 400);
    const store = new MemoryStore(3);
    keeping = await keepingOn(store);
    await keeping.process();
    // Count how often rows are written, because each event must add exactly one row to the history.
    await keeping.pool.query(`
      create table written (id text not null);
      create function write_down() returns trigger language plpgsql as $$ begin insert into written values (new.id); return null; end $$;
      create trigger writes after insert or update on history for each row execute function write_down();`);
    const processes = await Promise.all([keeping.process(), keeping.process(), keeping.process()]);
    await tell(store, story.slice(0, 200));
    await Promise.all(processes.map((process) => process.keep()));
    await tell(store, story.slice(200));
    const reached = await Promise.all(processes.map(({ checkpoints }) => checkpoints.reached(400n)));
    expect(reached).toEqual([400n, 400n, 400n]);

    const { rows } = await keeping.pool.query(
      'select count(*)::int as all, count(distinct id)::int as once from written',
    );
    expect(rows).toEqual([{ all: 400, once: 400 }]);
    expect(await keeping.rows()).toEqual(await rowsOf(store));
    expect(processes.flatMap(({ troubles }) => troubles)).toEqual([]);
  }, 60_000);

  it('any number of processes can create the tables concurrently', async () => {
    await Promise.all(Array.from({ length: 6 }, () => keeping.process()));
    expect(await positions()).toEqual(
      allReadModels.map(({ name }) => ({ name, position: '0' })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  it('rows and checkpoint are committed together, so a failed batch changes neither', async () => {
    const process = await keeping.process();
    await keeping.store.write(siteStream('site_1'), created, deployed(1));
    await process.keep();
    await process.checkpoints.reached(2n);
    await keeping.pool.query(`alter table ${table} rename deploys to gone`);
    await keeping.store.write(siteStream('site_1'), deployed(2, 'dep_1'));
    while (process.troubles.length === 0) await new Promise(setImmediate);

    expect(process.troubles[0]).toMatchObject({ model: 'site', error: { code: '42703' } });
    expect(await process.checkpoints.read(siteReadModel)).toBe(2n);
    expect((await keeping.rows()).sites).toMatchObject([{ gone: 1, revision: 2 }]);

    await keeping.pool.query(`alter table ${table} rename gone to deploys`);
    expect(await process.checkpoints.reached(3n)).toBe(3n);
    expect((await keeping.rows()).sites).toMatchObject([{ deploys: 2, revision: 3 }]);
  });

  it('a batch is not written if another process has already moved the checkpoint', async () => {
    const process = await keeping.process();
    await keeping.pool.query("update checkpoints set position = 2 where name = 'site'");
    await keeping.store.write(siteStream('site_1'), created, deployed(1));
    await process.keep();
    await keeping.store.write(siteStream('site_2'), created);
    expect(await process.checkpoints.reached(3n)).toBe(3n);
    expect((await keeping.rows()).sites).toMatchObject([{ site_id: 'site_2' }]);
  });

  it('events that no read model uses are skipped, for several read models in one transaction', async () => {
    const process = await keeping.process();
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created);
    await process.checkpoints.reached(1n);
    await keeping.pool.query(`
      create table moved (id xid8 not null);
      create function write_down() returns trigger language plpgsql as
        $$ begin insert into moved values (pg_current_xact_id()); return null; end $$;
      create trigger moves after update on checkpoints for each row execute function write_down();`);
    await keeping.store.write(runStream('run_1'), RunLogged({ data: '{}', jobId: null }));

    expect(await process.checkpoints.reached(2n)).toBe(2n);
    expect(await positions()).toEqual(
      allReadModels.map(({ name }) => ({ name, position: '2' })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const { rows } = await keeping.pool.query<{ all: number; transactions: number }>(
      'select count(*)::int as all, count(distinct id)::int as transactions from moved',
    );
    expect(rows[0]?.all).toBe(allReadModels.length);
    // All checkpoints usually move in a single transaction. More transactions are needed if a model was slightly ahead.
    expect(rows[0]?.transactions).toBeLessThan(allReadModels.length);
    expect(process.troubles).toEqual([]);
  });

  it('unused events are not skipped if another process has already moved the checkpoint', async () => {
    const process = await keeping.process();
    await keeping.pool.query("update checkpoints set position = 3 where name = 'site'");
    await keeping.store.write(runStream('run_1'), RunLogged({ data: '{}', jobId: null }));
    await process.keep();
    await process.checkpoints.reached(1n);
    expect(await process.checkpoints.read(siteReadModel)).toBe(3n);
  });

  it('a projector continues after its connections are terminated repeatedly', async () => {
    const story = randomHistory(13, 300);
    const store = new MemoryStore(2);
    keeping = await keepingOn(store);
    const process = await keeping.process();
    await process.keep();
    const appending = tell(store, story);
    for (let time = 0; time < 15; time++) {
      await keeping.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    }
    await appending;
    expect(await process.checkpoints.reached(300n)).toBe(300n);
    expect(await keeping.rows()).toEqual(await rowsOf(store));
  }, 60_000);

  it('a projector continues after its connection is terminated during a batch', async () => {
    const process = await keeping.process();
    await process.keep();
    // Lock the table, so that the batch waits. Meanwhile, terminate the connection of the projector.
    const blocker = await keeping.pool.connect();
    await blocker.query(`begin; lock table ${table} in access exclusive mode`);
    await keeping.store.write(siteStream('site_1'), created, deployed(1));
    const waiting = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await keeping.pool.query(`select pid ${waiting}`)).rowCount === 0) await new Promise(setImmediate);
    await keeping.pool.query(`select pg_terminate_backend(pid) ${waiting}`);
    await blocker.query('commit');
    blocker.release();
    expect(await process.checkpoints.reached(2n)).toBe(2n);
    expect(process.troubles).toMatchObject([{ model: 'site', error: { code: '57P01' } }]);
    expect((await keeping.rows()).sites).toMatchObject([{ deploys: 1, revision: 2 }]);
  });

  it('a waiting projector can be stopped, and leaves no connection in use', async () => {
    const process = await keeping.process();
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created);
    await process.checkpoints.reached(1n);
    await process.stop();
    expect(process.pool.totalCount).toBe(0);
  });
});
