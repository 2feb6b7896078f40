import { describe, expect, it } from '@jest/globals';
import { wholeDays } from './whole-days.js';

const time = (text: string) => Date.parse(`2026-11-${text}:00:00Z`);
const span = (from: string, to: string) => ({ from: time(from), to: time(to) });

describe('A span of hours', () => {
  it.each([
    ['consists of whole days', span('01T00', '04T00'), span('01T00', '04T00'), []],
    [
      'consists of days and hours',
      span('01T22', '04T03'),
      span('02T00', '04T00'),
      [span('01T22', '02T00'), span('04T00', '04T03')],
    ],
    ['begins during a day', span('01T22', '04T00'), span('02T00', '04T00'), [span('01T22', '02T00')]],
    [
      'includes a midnight but no whole day',
      span('01T22', '02T03'),
      null,
      [span('01T22', '02T00'), span('02T00', '02T03')],
    ],
    ['is within one day', span('01T09', '01T10'), null, [span('01T09', '01T10')]],
    ['begins at midnight', span('01T00', '01T10'), null, [span('01T00', '01T10')]],
    ['ends at midnight', span('01T09', '02T00'), null, [span('01T09', '02T00')]],
    ['includes the present day', span('19T00', '21T00'), span('19T00', '20T00'), [span('20T00', '21T00')]],
    [
      'begins after the last daily roll-up',
      span('20T00', '22T00'),
      null,
      [span('20T00', '21T00'), span('21T00', '22T00')],
    ],
    [
      'includes the end of the last daily roll-up',
      span('19T23', '20T01'),
      null,
      [span('19T23', '20T00'), span('20T00', '20T01')],
    ],
  ])('a span is divided into whole days and hours of single days if it %s', (_, whole, days, edges) => {
    expect(wholeDays(whole, time('20T00'))).toEqual({ days: days ?? { from: whole.from, to: whole.from }, edges });
  });
});
