import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EAGER, KEPT_MS, NextWork } from './next-work.js';

const agent = { tokenId: 'ctk_a', siteId: 'site_1', name: 'agent' };
const work = { workId: 'wrk_1', input: '1', attempt: 1, until: new Date('2026-11-24T12:01:00.000Z') };
const other = { ...work, workId: 'wrk_2' };

describe('Work reserved for an agent that has just reported a result', () => {
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

  it('reserved work is returned once, by the agent’s next poll', () => {
    next.answered(agent, work);
    expect(next.takenBy({ ...agent, tokenId: 'ctk_b' })).toBeNull();
    expect(next.takenBy(agent)).toEqual(work);
    expect(next.takenBy(agent)).toBeNull();
    jest.advanceTimersByTime(10 * KEPT_MS);
    expect(returned).toEqual([]);
  });

  it('reserved work is given back if the agent does not poll', () => {
    next.answered(agent, work);
    jest.advanceTimersByTime(KEPT_MS - 1);
    expect(returned).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(returned).toEqual(['site_1 wrk_1']);
    expect(next.takenBy(agent)).toBeNull();
  });

  it('if two results arrive simultaneously, only one item of work is reserved and the other is given back', () => {
    next.answered(agent, work);
    next.answered(agent, other);
    expect(returned).toEqual(['site_1 wrk_2']);
    expect(next.takenBy(agent)).toEqual(work);
  });

  it('work is only reserved for an agent that has always polled again immediately', () => {
    expect(next.isWantedBy(agent)).toBe(false);
    isEager();
    expect(next.isWantedBy(agent)).toBe(true);
    expect(next.isWantedBy({ ...agent, tokenId: 'ctk_b' })).toBe(false);
    asks(KEPT_MS);
    expect(next.isWantedBy(agent)).toBe(false);
  });

  it('no work is reserved for an agent that already has reserved work, or that did not fetch it last time', () => {
    isEager();
    next.answered(agent, work);
    expect(next.isWantedBy(agent)).toBe(false);
    next.takenBy(agent);
    expect(next.isWantedBy(agent)).toBe(true);
    next.answered(agent, work);
    jest.advanceTimersByTime(KEPT_MS);
    expect(next.isWantedBy(agent)).toBe(false);
  });

  it('reserved work is given back when the service stops, and no more work is reserved', async () => {
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
