import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectionProcesses } from '../../../../../test/support/database/projection-processes.js';
import { created, deployed, rolledBack } from '../../../../../test/support/events/site-examples.js';
import { type SiteEvent, siteStream } from '../../../../events/site/site.events.js';
import { emptyStream, type NewEvent } from '../../../../kernel/event-store.js';
import { HistoryRow } from '../../../../projections/models/history.projection.js';
import { PointerMoves } from './pointer-moves.js';

describe('Finding the deploy that was live at a given time', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
  });
  afterEach(() => keeping.close());

  const second = (n: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, n));
  type Told = readonly [second: number, event: SiteEvent];

  /**
   * Stores events at given seconds. Returns a function that looks up a second: `asked(5)` returns `dep_1 1-9` if
   * `dep_1` was live from second 1 until second 9.
   */
  async function told(...story: Told[]) {
    const events = story.map(
      ([at, event], n): NewEvent => ({
        ...event,
        id: `evt_${n}`,
        at: second(at).toISOString(),
        actor: { kind: 'anonymous' },
      }),
    );
    await keeping.store.append(siteStream('site_1'), emptyStream, events);
    await keeping.store.append(siteStream('site_2'), emptyStream, [
      { ...deployed(77), id: 'evt_other', at: second(0).toISOString(), actor: { kind: 'anonymous' } },
    ]);
    const { db, checkpoints, keep } = await keeping.process();
    await keep();
    await checkpoints.reached(await keeping.store.lastPosition());
    const moves = new PointerMoves(db.getRepository(HistoryRow));

    return async (time: number | Date) => {
      const live = await moves.at('site_1', typeof time === 'number' ? second(time) : time);
      if (!live) return null;
      const until = live.liveUntil === null ? '' : live.liveUntil.getUTCSeconds();
      return `${live.deployId} ${live.liveFrom.getUTCSeconds()}-${until}`;
    };
  }

  it('finds each deploy from the time it became live until the next one, and none before the first', async () => {
    const asked = await told([1, created], [2, deployed(1)], [5, deployed(2, 'dep_1')]);
    expect(await asked(1)).toBeNull();
    expect(await asked(2)).toBe('dep_1 2-5');
    expect(await asked(new Date(second(5).getTime() - 1))).toBe('dep_1 2-5');
    expect(await asked(5)).toBe('dep_2 5-');
    expect(await asked(59)).toBe('dep_2 5-');
  });

  it('returns separate intervals for a deploy that was live twice', async () => {
    const asked = await told(
      [1, created],
      [2, deployed(1)],
      [4, deployed(2, 'dep_1')],
      [6, rolledBack(1, 2)],
      [8, deployed(3, 'dep_1')],
    );
    expect(await Promise.all([3, 5, 7, 9].map(asked))).toEqual(['dep_1 2-4', 'dep_2 4-6', 'dep_1 6-8', 'dep_3 8-']);
  });

  it('finds only the last of several deploys that went live in the same millisecond', async () => {
    const asked = await told([1, created], [2, deployed(1)], [2, deployed(2, 'dep_1')], [2, rolledBack(1, 2)]);
    expect(await asked(2)).toBe('dep_1 2-');
  });

  it('finds the deploy recorded last if clocks disagree', async () => {
    const asked = await told([1, created], [2, deployed(1)], [9, deployed(2, 'dep_1')], [5, deployed(3, 'dep_2')]);
    expect(await Promise.all([4, 5, 7, 10].map(asked))).toEqual(['dep_1 2-9', 'dep_3 5-', 'dep_3 5-', 'dep_3 5-']);
  });

  it('finds a deploy for any time, however distant', async () => {
    const asked = await told([1, created], [2, deployed(1)]);
    expect(await asked(new Date('0000-01-01T00:00:00+23:59'))).toBeNull();
    expect(await asked(new Date('9999-12-31T23:59:59-23:59'))).toBe('dep_1 2-');
  });
});
