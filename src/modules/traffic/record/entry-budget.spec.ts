import { describe, expect, it } from '@jest/globals';
import { EntryBudget } from './entry-budget.js';

const LIMIT = 640_000;
const PART = 10_000;

/** Simulates the database that all processes share, and counts the bytes that it grants. */
function database() {
  let given = 0;
  return {
    given: () => given,
    take: async (_counter: string, _share: string, amount: number, most: number) => {
      if (given + amount > most) return false;
      given += amount;
      return true;
    },
  };
}

const report = { failed: () => undefined, succeeded: () => undefined };
const entry = (siteId: string) => ({ siteId, path: '/'.padEnd(40, 'x'), referrer: null });
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function recordAll(budget: EntryBudget, siteId: string): Promise<number> {
  let entries = 0;
  for (; !budget.isSpent(siteId); entries++) {
    budget.spend(entry(siteId));
    await settled();
  }
  return entries;
}

describe('The daily budget for a site’s log entries', () => {
  it('the budget is limited per day and separate for each site', async () => {
    const budget = new EntryBudget(database(), LIMIT, report);
    const entries = await recordAll(budget, 'site_1');
    expect(entries * 200).toBeGreaterThan(LIMIT);
    expect(entries * 200).toBeLessThanOrEqual(LIMIT + PART + 200);
    expect(budget.isSpent('site_2')).toBe(false);
  });

  it('the budget is shared by processes and survives a restart', async () => {
    const store = database();
    await recordAll(new EntryBudget(store, LIMIT, report), 'site_1');
    const again = await recordAll(new EntryBudget(store, LIMIT, report), 'site_1');
    expect(again * 200).toBeLessThanOrEqual(PART + 200);
  });

  it('the budget needs no database query for sites with few visitors', () => {
    const store = database();
    const budget = new EntryBudget(store, LIMIT, report);
    for (let n = 0; n < 20; n++) budget.spend(entry('site_1'));
    expect(store.given()).toBe(0);
  });

  it('accepts all entries while the database is unavailable', async () => {
    const budget = new EntryBudget({ take: () => Promise.reject(new Error('away')) }, LIMIT, report);
    for (let n = 0; n < 500; n++) {
      expect(budget.isSpent('site_1')).toBe(false);
      budget.spend(entry('site_1'));
      await settled();
    }
  });
});
