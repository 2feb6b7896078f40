import { describe, expect, it } from '@jest/globals';
import { computeUptime, shownDays } from './shown-days.js';

const now = Date.parse('2026-11-20T12:02:30.000Z');
const record = (day: string, well: number, failing: number, since = `${day}T00:00:00.000Z`) => ({
  ...{ day, component: 'publish', well, failing },
  since: new Date(since),
});
const on = (day: string, ...records: ReturnType<typeof record>[]) =>
  shownDays(records, now).find((each) => each.day === day);

describe('The days of a component', () => {
  it('ninety days are shown, including today', () => {
    const days = shownDays([], now);
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([90, '2026-08-23', '2026-11-20']);
  });

  it('a day includes its recorded and missing minutes', () =>
    expect(on('2026-11-19', record('2026-11-19', 1_400, 10))).toEqual({
      ...{ day: '2026-11-19', well: 1_400, failing: 10 },
      unknown: 30,
    }));

  it('a missing day between two recorded days counts as unknown', () =>
    expect(on('2026-11-18', record('2026-11-17', 1_440, 0), record('2026-11-19', 1_440, 0))?.unknown).toBe(1_440));

  it('minutes before the first result do not count as unknown', () => {
    const first = record('2026-11-19', 60, 0, '2026-11-19T23:00:00.000Z');
    expect(on('2026-11-18', first)?.unknown).toBe(0);
    expect(on('2026-11-19', first)?.unknown).toBe(0);
  });

  it('only the minutes of today that have already passed count as unknown', () =>
    expect(on('2026-11-20', record('2026-11-20', 720, 0))?.unknown).toBe(0));
});

describe('The uptime of a component', () => {
  const of = (well: number, failing: number) => computeUptime([{ day: '2026-11-20', well, failing, unknown: 99 }]);

  it('the uptime ignores unknown minutes', () => expect(of(75, 25)).toBe(75));
  it('the uptime is below 100 % if a minute failed', () => expect(of(1_000_000, 1)).toBe(99.99));
  it('the uptime is 100 % if no minute failed', () => expect(of(5, 0)).toBe(100));
  it('the uptime is null if there are no results', () => expect(of(0, 0)).toBeNull());
});
