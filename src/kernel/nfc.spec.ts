import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../test/support/hostile/cpu-clock.js';
import { isStreamSafe, nfc, nfd } from './nfc.js';

/** Returns combining marks that go alternately above and below a letter, so that normalization has to sort them. */
const marks = (count: number) => '\u0301\u0323'.repeat(count).slice(0, count);

describe('Unicode normalization', () => {
  it.each([
    ['', '', ''],
    ['otter', 'otter', 'otter'],
    ['cafe\u0301', 'caf\u00e9', 'cafe\u0301'],
    ['\u212b', '\u00c5', 'A\u030a'],
    ['\u1112\u1161\u11ab', '\ud55c', '\u1112\u1161\u11ab'],
  ])('composes and decomposes %j', (text, joined, parted) => {
    expect(nfc(text, 10)).toBe(joined);
    expect(nfd(text, 10)).toBe(parted);
  });

  it('accepts up to 30 consecutive combining marks', () => {
    expect(nfc(`a${marks(30)}b${marks(30)}`, 100)).toBe(`a${marks(30)}b${marks(30)}`.normalize('NFC'));
    expect(nfc(`a${marks(31)}`, 100)).toBeNull();
    expect(nfd(`a${marks(31)}`, 100)).toBeNull();
  });

  it('counts combining marks as characters, not as UTF-16 units', () => {
    expect(isStreamSafe('\u{1e8d0}'.repeat(30))).toBe(true);
    expect(isStreamSafe('\u{1e8d0}'.repeat(31))).toBe(false);
  });

  it('rejects strings that exceed the maximum length', () => {
    expect(nfc('abc', 3)).toBe('abc');
    expect(nfc('abc', 2)).toBeNull();
    expect(nfd('abc', 2)).toBeNull();
  });

  it.each([
    ['hundreds of thousands of marks', `a${marks(300_000)}`],
    ['the maximum number of mark sequences', `a${marks(30)}`.repeat(10_000)],
  ])('is fast for %s', (_, text) => {
    const spent = cpuClock();
    nfc(text, text.length);
    expect(spent()).toBeLessThan(2_000);
  });

  /**
   * U+0334 has combining class 1, the lowest class that is reordered. `normalize` moves it before a character if and
   * only if that character has a higher class.
   */
  it('counts every character that normalization reorders as a combining mark', () => {
    const isSorted = (character: string) => `a${character}\u0334`.normalize('NFD').startsWith('a\u0334');
    const unknown: string[] = [];
    // Stops at U+1FFFF: higher code points are only Chinese characters and, at the very end, tags and selectors.
    for (let code = 0x80; code < 0x2_0000; code++) {
      const character = String.fromCodePoint(code);
      if (isSorted(character) && isStreamSafe(character.repeat(31))) unknown.push(code.toString(16));
    }
    expect(unknown).toEqual([]);
  });
});
