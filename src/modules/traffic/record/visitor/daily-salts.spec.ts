import { beforeEach, describe, expect, it } from '@jest/globals';
import { DailySalts } from './daily-salts.js';

const DAY_MS = 86_400_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const MIDNIGHT = 20_001 * DAY_MS;

describe('DailySalts', () => {
  /** Queries that were run against the salts table, in order. */
  let asked: string[];
  let isAway: boolean;
  let salts: DailySalts;
  beforeEach(() => {
    asked = [];
    isAway = false;
    const table = {
      of: async (day: number) => {
        asked.push(`of ${day}`);
        if (isAway) throw new Error('away');
        return Buffer.from(String(day));
      },
      destroyBefore: async (day: number) => {
        asked.push(`destroy before ${day}`);
        if (isAway) throw new Error('away');
      },
    };
    const run = async (work: () => Promise<unknown>) =>
      work().then(
        () => true,
        () => false,
      );
    salts = new DailySalts(table, { run });
  });

  it('loads a salt when it is needed and keeps it for its day', async () => {
    expect(salts.of(20_000, NOON)).toBeUndefined();
    await salts.load(20_000);
    expect(String(salts.of(20_000, NOON))).toBe('20000');
    expect(asked).toEqual(['of 20000']);
  });

  it('destroys a salt one minute after its day, both in memory and in the table', async () => {
    await salts.load(20_000);
    await salts.turn(MIDNIGHT + 59_000);
    expect(String(salts.of(20_000, MIDNIGHT + 59_000))).toBe('20000');
    asked = [];
    await salts.turn(MIDNIGHT + 61_000);
    expect(salts.of(20_000, MIDNIGHT + 61_000)).toBeNull();
    expect(asked).toEqual(['destroy before 20001']);
    await salts.turn(MIDNIGHT + 91_000);
    expect(asked).toEqual(['destroy before 20001']);
  });

  it('destroys salts later if the database is unavailable', async () => {
    isAway = true;
    await salts.turn(NOON);
    isAway = false;
    asked = [];
    await salts.turn(NOON);
    expect(asked).toEqual(['destroy before 20000']);
  });

  it('loads the salt of the next day before midnight', async () => {
    await salts.load(20_000);
    await salts.turn(MIDNIGHT - 301_000);
    expect(salts.of(20_001, NOON)).toBeUndefined();
    await salts.turn(MIDNIGHT - 299_000);
    expect(String(salts.of(20_001, MIDNIGHT))).toBe('20001');
  });
});
