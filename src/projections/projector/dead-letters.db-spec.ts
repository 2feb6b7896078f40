import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectionProcesses } from '../../../test/support/database/projection-processes.js';
import { randomHistory } from '../../../test/support/events/random-history.js';
import { created, deployed } from '../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../test/support/eventstore/memory-store.js';
import { SiteTakenDown, siteStream } from '../../events/site/site.events.js';
import { SlugHeld } from '../../events/slug.events.js';
import type { Recorded } from '../../kernel/event-store.js';
import { historyReadModel } from '../models/history.projection.js';
import { siteReadModel } from '../models/site.projection.js';
import type { AnyReadModel } from '../read-model.js';
import { allReadModels } from '../read-models.js';
import { DeadLetterStore } from './dead-letters.js';
import { ReadModelTable } from './read-model-table.js';

/** The read model of sites, with a bug: it fails when a site is taken down. */
const faulty: AnyReadModel = {
  ...siteReadModel,
  evolve(row, event, key) {
    if (event.type === 'SiteTakenDown') throw new Error('Nobody thought of this.');
    return siteReadModel.evolve(row, event, key);
  },
};
const faultyModels = allReadModels.map((model) => (model === siteReadModel ? faulty : model));

describe('An event that cannot be applied', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open(new MemoryStore(4));
  });
  afterEach(() => keeping.close());

  const lettersOf = async () => {
    const { rows } = await keeping.pool.query(
      'select model, stream, position::int, type, error from dead_letters order by model, position',
    );
    return rows;
  };
  const siteRows = async () => (await keeping.rows()).sites as { site_id: string; revision: number }[];

  it('an event that cannot be applied stops only its own stream, in only one read model', async () => {
    const process = await keeping.process(25_000, faultyModels);
    await process.keep();
    await keeping.store.write(
      siteStream('site_1'),
      created,
      deployed(1),
      SiteTakenDown({ reason: 'x' }),
      deployed(2, 'dep_1'),
    );
    await keeping.store.write(siteStream('site_2'), created, deployed(1));
    await keeping.store.write(siteStream('site_1'), deployed(3, 'dep_2'));
    await keeping.store.write('slug-b', SlugHeld({ siteId: 'site_2' }));
    expect(await process.checkpoints.reached(8n)).toBe(8n);

    expect(await siteRows()).toMatchObject([
      { site_id: 'site_1', revision: 2 },
      { site_id: 'site_2', revision: 2 },
    ]);
    expect((await keeping.rows()).history).toHaveLength(7);
    expect(await lettersOf()).toEqual([
      { model: 'site', stream: 'site-site_1', position: 3, type: 'SiteTakenDown', error: 'Nobody thought of this.' },
    ]);
    expect(await process.checkpoints.stopped()).toEqual(
      new Map(allReadModels.map(({ name }) => [name, name === 'site' ? 1 : 0])),
    );
    expect(process.troubles).toEqual([]);
  });

  it('a fixed version of the read model applies the event, along with later events of its stream', async () => {
    const process = await keeping.process(25_000, faultyModels);
    await process.keep();
    const story = randomHistory(12, 60);
    for (const { siteId, event } of story.slice(0, 30)) await keeping.store.write(siteStream(siteId), event);
    const { siteId = '' } = story[0] ?? {};
    await keeping.store.write(siteStream(siteId), SiteTakenDown({ reason: 'x' }));
    for (const { siteId, event } of story.slice(30)) await keeping.store.write(siteStream(siteId), event);
    expect(await process.checkpoints.reached(61n)).toBe(61n);
    expect(await lettersOf()).toHaveLength(1);
    await process.stop();

    const better = await keeping.process();
    await better.keep();
    expect(await lettersOf()).toEqual([]);
    const verdicts = await better.rebuilder.verify(allReadModels, new AbortController().signal, () => undefined);
    expect(verdicts).toMatchObject(allReadModels.map(({ name }) => ({ model: name, position: 61n, differences: [] })));
  });

  it('an event that still cannot be applied remains a dead letter, and is counted once', async () => {
    const process = await keeping.process(25_000, faultyModels);
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created, SiteTakenDown({ reason: 'x' }), deployed(1));
    await process.checkpoints.reached(3n);
    const letters = new DeadLetterStore(faulty, new ReadModelTable(process.db, faulty));
    expect(await letters.retry(process.pool, keeping.store)).toEqual({ applied: 0, left: 1 });
    expect((await process.checkpoints.stopped()).get('site')).toBe(1);
    const able = new DeadLetterStore(siteReadModel, new ReadModelTable(process.db, siteReadModel));
    expect(await able.retry(process.pool, keeping.store)).toEqual({ applied: 1, left: 0 });
    expect((await process.checkpoints.stopped()).get('site')).toBe(0);
    expect(await siteRows()).toMatchObject([{ revision: 3, taken_down: true, deploys: 1 }]);
  });

  it('an event becomes a dead letter if the database rejects its row', async () => {
    const process = await keeping.process();
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created, {
      ...deployed(1),
      data: { ...deployed(1).data, message: 'a\u0000b' },
    });
    await keeping.store.write(siteStream('site_2'), created, deployed(2 ** 40), deployed(3, 'dep_2'));
    await keeping.store.write(siteStream('site_3'), created, deployed(1));
    expect(await process.checkpoints.reached(7n)).toBe(7n);
    expect(await lettersOf()).toMatchObject([
      { model: 'deploy', stream: 'site-site_1', error: expect.stringContaining('0x00') },
      { model: 'deploy', stream: 'site-site_2', error: expect.stringContaining('out of range') },
      { model: 'site', stream: 'site-site_2', position: 4, error: expect.stringContaining('out of range') },
    ]);
    expect(await siteRows()).toMatchObject([
      { site_id: 'site_1', revision: 2 },
      { site_id: 'site_2', revision: 1 },
      { site_id: 'site_3', revision: 2 },
    ]);
    expect(process.troubles).toEqual([]);
  });

  it('an event with an unknown schema version becomes a dead letter, but one of an unknown type is skipped', async () => {
    const { follow } = keeping.store;
    const newer = (event: Recorded): Recorded => {
      if (event.position === 2n) return { ...event, schema: event.schema + 1 };
      return event.position === 4n ? { ...event, type: 'SiteRepainted' } : event;
    };
    keeping.store.follow = async function* (position, signal) {
      for await (const batch of follow(position, signal)) yield batch.map(newer);
    };
    const process = await keeping.process();
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created, deployed(1));
    await keeping.store.write(siteStream('site_2'), created, deployed(1), deployed(2, 'dep_1'));
    expect(await process.checkpoints.reached(5n)).toBe(5n);
    expect(await siteRows()).toMatchObject([
      { site_id: 'site_1', revision: 1 },
      { site_id: 'site_2', revision: 5 - 2, deploys: 2 },
    ]);
    expect(await lettersOf()).toMatchObject(
      ['deploy', historyReadModel.name, 'site'].map((model) => ({ model, stream: 'site-site_1', position: 2 })),
    );
  });

  it('an event is no longer a dead letter after a rebuild that can apply it', async () => {
    const process = await keeping.process(25_000, faultyModels);
    await process.keep();
    await keeping.store.write(siteStream('site_1'), created, SiteTakenDown({ reason: 'x' }));
    await process.checkpoints.reached(2n);
    const better = await keeping.process();
    await better.rebuilder.rebuild([siteReadModel], new AbortController().signal, () => undefined);
    expect(await lettersOf()).toEqual([]);
    expect((await better.checkpoints.stopped()).get('site')).toBe(0);
    expect(await siteRows()).toMatchObject([{ revision: 2, taken_down: true }]);
  });
});
