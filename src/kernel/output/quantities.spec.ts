import { describe, expect, it } from '@jest/globals';
import { formatBytes, plural } from './quantities.js';

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
});
