import { describe, expect, it } from '@jest/globals';
import { formatBytes, formatExcess, plural } from './quantities.js';

describe('Formatting of quantities', () => {
  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [20_000, '20,000 files'],
  ])('formats %d and the word “file” as %s', (count, text) => expect(plural(count, 'file')).toBe(text));

  it('accepts an irregular plural', () => expect(plural(2, 'entry', 'entries')).toBe('2 entries'));

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1_023, '1,023 bytes'],
    [1_024, '1 KiB'],
    [1_536, '1.5 KiB'],
    [50 * 1_024 ** 2, '50 MiB'],
    [3 * 1_024 ** 3, '3 GiB'],
  ])('formats %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('formats a size and the limit that it exceeds so that they differ', () => {
    expect(formatExcess(30_000_000, 25 * 1_024 ** 2)).toEqual(['28.6 MiB', '25 MiB']);
    expect(formatExcess(1_025 * 1_024, 1_024 ** 2)).toEqual(['1,049,600 bytes', '1,048,576 bytes']);
  });
});
