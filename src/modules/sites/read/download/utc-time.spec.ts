import { describe, expect, it } from '@jest/globals';
import { UtcTime } from './utc-time.js';

describe('A time in UTC', () => {
  it('a UtcTime returns UTC values from its local getters, and its timestamp is unchanged', () => {
    const time = new UtcTime('2026-03-29T01:30:15.000Z');
    const parts = [
      time.getFullYear(),
      time.getMonth(),
      time.getDate(),
      time.getHours(),
      time.getMinutes(),
      time.getSeconds(),
    ];
    expect(parts).toEqual([2026, 2, 29, 1, 30, 15]);
    expect(time.getTime()).toBe(Date.parse('2026-03-29T01:30:15.000Z'));
  });
});
