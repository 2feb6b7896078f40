import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EAGER, KEPT_MS, NextWork } from './next-work.js';

const agent = { tokenId: 'ctk_a', siteId: 'site_1', name: 'agent' };
const work = { workId: 'wrk_1', input: '1', attempt: 1, until: new Date('2026-11-24T12:01:00.000Z') };
const other = { ...work, workId: 'wrk_2' };

describe('Work that is kept for the agent whose result has come', () => {
  let next: NextWork;
  let returned: string[];
  beforeEach(() => {
    jest.useFakeTimers();
    returned = [];
    next = new NextWork({ giveBack: async (siteId, { workId }) => void returned.push(`${siteId} ${workId}`) });
  });
  afterEach(() => void jest.useRealTimers());

  const asks = (afterMs: number) => {
    next.answered(agent, null);
    jest.advanceTimersByTime(afterMs);
    expect(next.takenBy(agent)).toBeNull();
  };
  const isEager = () => {
    for (let n = 0; n < EAGER; n++) asks(1);
  };

  it('is given to its next poll, once', () => {
    next.answered(agent, work);
    expect(next.takenBy({ ...agent, tokenId: 'ctk_b' })).toBeNull();
    expect(next.takenBy(agent)).toEqual(work);
    expect(next.takenBy(agent)).toBeNull();
    jest.advanceTimersByTime(10 * KEPT_MS);
    expect(returned).toEqual([]);
  });

  it('goes back where no poll comes', () => {
    next.answered(agent, work);
    jest.advanceTimersByTime(KEPT_MS - 1);
    expect(returned).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(returned).toEqual(['site_1 wrk_1']);
    expect(next.takenBy(agent)).toBeNull();
  });

  it('is one piece: of two results at once the second has its own go back', () => {
    next.answered(agent, work);
    next.answered(agent, other);
    expect(returned).toEqual(['site_1 wrk_2']);
    expect(next.takenBy(agent)).toEqual(work);
  });

  it('is there only for one that has always asked at once', () => {
    expect(next.isWantedBy(agent)).toBe(false);
    isEager();
    expect(next.isWantedBy(agent)).toBe(true);
    expect(next.isWantedBy({ ...agent, tokenId: 'ctk_b' })).toBe(false);
    asks(KEPT_MS);
    expect(next.isWantedBy(agent)).toBe(false);
  });

  it('is not there for one that has some, nor after it let some go back', () => {
    isEager();
    next.answered(agent, work);
    expect(next.isWantedBy(agent)).toBe(false);
    next.takenBy(agent);
    expect(next.isWantedBy(agent)).toBe(true);
    next.answered(agent, work);
    jest.advanceTimersByTime(KEPT_MS);
    expect(next.isWantedBy(agent)).toBe(false);
  });

  it('goes back when the service stops, and none is kept from then on', async () => {
    isEager();
    next.answered(agent, work);
    await next.prepareToStop();
    expect(returned).toEqual(['site_1 wrk_1']);
    expect(next.takenBy(agent)).toBeNull();
    expect(next.isWantedBy(agent)).toBe(false);
    next.answered(agent, other);
    expect(returned).toEqual(['site_1 wrk_1', 'site_1 wrk_2']);
    jest.advanceTimersByTime(KEPT_MS);
    expect(returned).toHaveLength(2);
  });
});
