import { describe, expect, it } from '@jest/globals';
import { parseByteRanges } from './byte-ranges.js';

/**
 * Parses a `Range` header. Returns the ranges in short form, such as `0-4 7-9`, or the result `whole` or
 * `unsatisfiable`.
 */
const asked = (field: string, size = 10) => {
  const ranges = parseByteRanges(field, size);
  return typeof ranges === 'string' ? ranges : ranges.map(({ first, last }) => `${first}-${last}`).join(' ');
};

describe('A Range header', () => {
  it.each([
    ['bytes=0-4', '0-4'],
    ['bytes=0-0', '0-0'],
    ['bytes=9-9', '9-9'],
    ['bytes=5-', '5-9'],
    ['bytes=-3', '7-9'],
    ['bytes=-300', '0-9'],
    ['bytes=5-300', '5-9'],
    ['BYTES = 1-2 ', '1-2'],
    ['bytes=0-1,3-4', '0-1 3-4'],
    ['bytes=3-4 , 0-1', '3-4 0-1'],
    ['bytes=,0-1,,3-4,', '0-1 3-4'],
    ['bytes=0-1,50-60', '0-1'],
    [`bytes=0-${'9'.repeat(400)}`, '0-9'],
  ])('%s requests bytes %s of a ten-byte file', (field, expected) => expect(asked(field)).toBe(expected));

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=10-11,99-', `bytes=${'9'.repeat(400)}-`])(
    '%s is unsatisfiable for a ten-byte file',
    (field) => expect(asked(field)).toBe('unsatisfiable'),
  );

  it('a range is unsatisfiable for an empty file', () => {
    expect(asked('bytes=0-', 0)).toBe('unsatisfiable');
    expect(asked('bytes=-5', 0)).toBe('unsatisfiable');
  });

  it.each([
    ['lines=0-4'],
    ['bytes'],
    ['bytes='],
    ['bytes=,'],
    ['bytes=-'],
    ['bytes=4-2'],
    ['bytes=a-b'],
    ['bytes=0x1-2'],
    ['bytes=1.0-2'],
    ['bytes=+1-2'],
    ['bytes=1-2;3-4'],
    ['bytes=0-1,x'],
    ['bytes=0-1, bytes=3-4'],
    [''],
  ])('%s is not a valid byte range and is ignored', (field) => expect(asked(field)).toBe('whole'));

  it('a Range header with too many or overlapping ranges, or a range of the whole file, is ignored', () => {
    expect(asked('bytes=0-5,4-6')).toBe('whole');
    expect(asked('bytes=0-1,0-1')).toBe('whole');
    expect(asked('bytes=0-4,5-9')).toBe('whole');
    expect(asked(`bytes=${'0-,'.repeat(5_000)}0-`)).toBe('whole');
    const sixteen = Array.from({ length: 16 }, (_, n) => `${n * 2}-${n * 2}`);
    expect(asked(`bytes=${sixteen}`, 100).split(' ')).toHaveLength(16);
    expect(asked(`bytes=${[...sixteen, '40-40']}`, 100)).toBe('whole');
  });
});
