import { describe, expect, it } from '@jest/globals';
import { buildSeries, sumTotals } from './series.js';

const time = (text: string) => Date.parse(`${text}Z`);
const point = (at: string, pageviews: number) => ({ at: time(at), visits: 1, visitors: 1, pageviews, bytes: 10 });
const shown = (series: ReturnType<typeof buildSeries>) =>
  series.map(({ at, pageviews }) => [new Date(at).toISOString().slice(0, 16), pageviews]);

describe('A series', () => {
  it('a series has no gaps', () => {
    const points = [point('2026-11-02T00:00', 3), point('2026-11-04T00:00', 5)];
    const span = { from: time('2026-11-01T00:00'), to: time('2026-11-06T00:00') };
    expect(shown(buildSeries(points, span, 'day'))).toEqual([
      ['2026-11-01T00:00', 0],
      ['2026-11-02T00:00', 3],
      ['2026-11-03T00:00', 0],
      ['2026-11-04T00:00', 5],
      ['2026-11-05T00:00', 0],
    ]);
  });

  it('a series starts when the span starts, even in the middle of a day or month', () => {
    const points = [point('2026-11-30T00:00', 3), point('2026-12-01T00:00', 5), point('2027-01-31T00:00', 7)];
    const span = { from: time('2026-11-30T22:00'), to: time('2027-02-01T00:00') };
    expect(shown(buildSeries(points, span, 'month'))).toEqual([
      ['2026-11-30T22:00', 3],
      ['2026-12-01T00:00', 5],
      ['2027-01-01T00:00', 7],
    ]);
    expect(shown(buildSeries(points, span, 'day')).slice(0, 2)).toEqual([
      ['2026-11-30T22:00', 3],
      ['2026-12-01T00:00', 5],
    ]);
  });

  it('a series with hourly points adds up to the totals', () => {
    const points = [point('2026-11-02T00:00', 3), point('2026-11-02T05:00', 5)];
    const series = buildSeries(points, { from: time('2026-11-02T00:00'), to: time('2026-11-03T00:00') }, 'hour');
    expect(series).toHaveLength(24);
    expect(sumTotals(series)).toEqual({ visits: 2, visitors: 2, pageviews: 8, bytes: 20 });
  });
});
