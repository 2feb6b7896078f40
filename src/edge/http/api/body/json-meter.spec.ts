import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../../test/support/hostile/cpu-clock.js';
import { Refusal } from '../../../../kernel/refusal.js';
import { JsonMeter } from './json-meter.js';

/** Returns the refusal's message, or null. Checks that the message is the same when the text arrives byte by byte. */
function refusal(json: string, maxValues = 1_000): string | null {
  const [whole, inBytes] = [Buffer.byteLength(json), 1].map((size) => {
    const meter = new JsonMeter(maxValues);
    const bytes = Buffer.from(json);
    try {
      for (let at = 0; at < bytes.length; at += size) meter.add(bytes.subarray(at, at + size));
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.faults[0]?.message ?? '';
      throw error;
    }
  });
  expect(inBytes).toBe(whole);
  return whole ?? null;
}

const TOO_MANY = 'must not contain more than 3 fields and items';

describe('The meter that limits the size of parsed JSON', () => {
  it.each([
    ['{"a":1,"b":2,"c":3}', null],
    ['{"a":1,"b":2,"c":3,"d":4}', TOO_MANY],
    ['[1,2,3]', null],
    ['[1,2,3,4]', TOO_MANY],
    ['{"a":{"b":{}}}', null],
    ['[[],[],[]]', TOO_MANY],
    ['"[,,,,{{{{"', null],
    [String.raw`{"\",,,,\\":",,,,"}`, null],
    [String.raw`["\\",1,2,3]`, TOO_MANY],
  ])('counts the members and items of %s', (json, message) => expect(refusal(json, 3)).toBe(message));

  it('allows 64 levels of nesting', () => {
    expect(refusal('['.repeat(64))).toBeNull();
    expect(refusal('[{"a":'.repeat(32))).toBeNull();
    expect(refusal('['.repeat(65))).toBe('must not be nested more than 64 levels deep');
    expect(refusal('[],'.repeat(300))).toBeNull();
    expect(refusal(`"${'['.repeat(65)}"`)).toBeNull();
  });

  it('stops counting at the first value beyond the limit', () => {
    const bytes = Buffer.from(`{${'"a":1,'.repeat(700_000)}`);
    // Compare the shortest of five times, because a single garbage collection can take longer than the limit.
    const times = Array.from({ length: 5 }, () => {
      const spent = cpuClock();
      expect(() => new JsonMeter(1_000).add(bytes)).toThrow(Refusal);
      return spent();
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });
});
