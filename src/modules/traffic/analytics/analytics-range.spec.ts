import { describe, expect, it } from '@jest/globals';
import { AnalyticsQuery } from './analytics-query.js';
import { before, parseAnalyticsRange } from './analytics-range.js';

const now = Date.parse('2026-11-20T10:54:00Z');
const asked = (query: object) => {
  const { from, to } = parseAnalyticsRange(AnalyticsQuery.parse(query), now);
  return [from, to].map((at) => new Date(at).toISOString().slice(0, 16));
};

describe('The range of an analytics request', () => {
  it.each([
    ['the last 30 days including today by default', {}, '2026-10-22T00:00', '2026-11-21T00:00'],
    [
      'a range of days including the last day',
      { from: '2026-11-01', to: '2026-11-03' },
      '2026-11-01T00:00',
      '2026-11-04T00:00',
    ],
    ['a single day', { from: '2026-11-01', to: '2026-11-01' }, '2026-11-01T00:00', '2026-11-02T00:00'],
    ['every day up to today if it has no end', { from: '2026-11-19' }, '2026-11-19T00:00', '2026-11-21T00:00'],
    ['30 days up to its end if it has no start', { to: '2026-11-10' }, '2026-10-12T00:00', '2026-11-11T00:00'],
    [
      'a range of hours',
      { from: '2026-11-20T09:00:00Z', to: '2026-11-20T11:00:00Z' },
      '2026-11-20T09:00',
      '2026-11-20T11:00',
    ],
    [
      'extended to whole hours',
      { from: '2026-11-20T09:59:59Z', to: '2026-11-20T10:00:00.001Z' },
      '2026-11-20T09:00',
      '2026-11-20T11:00',
    ],
    [
      'in UTC, whatever the time zone in the request',
      { from: '2026-11-20T00:30:00+05:30' },
      '2026-11-19T19:00',
      '2026-11-21T00:00',
    ],
    [
      'extended to whole days if hours are no longer kept',
      { from: '2026-08-01T09:00:00Z', to: '2026-08-02T10:00:00Z' },
      '2026-08-01T00:00',
      '2026-08-03T00:00',
    ],
  ])('the requested range is %s', (_, query, from, to) => {
    expect(asked(query)).toEqual([from, to]);
  });

  it.each([
    ['ends before it begins', { from: '2026-11-02', to: '2026-11-01' }],
    ['is empty', { from: '2026-11-02T10:00:00Z', to: '2026-11-02T10:00:00Z' }],
    ['has too many hours', { from: '2026-10-19', to: '2026-11-19', interval: 'hour' }],
    ['has hours that are no longer kept', { from: '2026-09-18', to: '2026-09-18', interval: 'hour' }],
    ['has too many days', { from: '2020-01-01' }],
    ['has too many months', { from: '2010-01-01', interval: 'month' }],
  ])('a range is refused with an error for the right field if it %s', (_, query) => {
    expect(() => asked(query)).toThrow(
      expect.objectContaining({ code: 'invalid_request', faults: [expect.objectContaining({ path: 'from' })] }),
    );
  });

  it.each(['1999-12-31', '3000-01-01', '0000-01-01', '2026-02-30', '2026-11-20T10:54:00', 'yesterday', '', '1e3'])(
    'a range cannot begin with %s',
    (from) => {
      expect(AnalyticsQuery.safeParse({ from }).error?.issues.map(({ path }) => path)).toEqual([['from']]);
    },
  );

  it('a range is compared with the preceding range of the same length', () => {
    expect(before({ from: 50, to: 80 })).toEqual({ from: 20, to: 50 });
  });
});
