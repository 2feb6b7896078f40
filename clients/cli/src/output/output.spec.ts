import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { formatProgress, ProgressBar } from './progress-bar.js';
import { formatBytes, formatDeadline, formatDuration, formatTimeLeft, plural } from './quantities.js';
import { formatTable, harmless, oneLine } from './table.js';

describe('harmless', () => {
  it('removes what could control the terminal, but no colors, line breaks or tabs', () => {
    expect(harmless('\x1b[31mred\x1b[0m\tand\nnext')).toBe('\x1b[31mred\x1b[0m\tand\nnext');
    expect(harmless('a\x1b]52;c;eA==\x07b\x1b[2Jc\rd\u202ee\x9bf')).toBe('a ]52;c;eA== b [2Jc d e f');
  });
});

describe('formatTable', () => {
  it('aligns columns by their displayed width in a terminal', () => {
    expect(
      formatTable(
        ['NAME', 'SIZE'],
        [
          ['日本', '1'],
          ['a', ''],
        ],
      ),
    ).toBe('NAME  SIZE\n日本  1\na     -');
  });

  it('removes control characters and line breaks from cells', () => {
    expect(formatTable(['A'], [['x\x1b[31m\ny\u202e']])).toBe('A\nx [31m y');
    expect(oneLine('a\r\nb')).toBe('a b');
  });

  it('shows no heading above a column without a name', () => {
    expect(formatTable(['', 'A'], [['*', 'a']])).toBe('   A\n*  a');
  });
});

describe('formatProgress', () => {
  it('shows the percentage, the bytes, the rate and the remaining time', () => {
    expect(formatProgress({ done: 512 * 1024, total: 1024 * 1024, perSecond: 256 * 1024 })).toBe(
      '████████████░░░░░░░░░░░░ 50%  512 KiB of 1.0 MiB  256 KiB/s  2.0 s left',
    );
  });

  it('the percentage stays between 0 and 100 even if bytes are sent again', () => {
    expect(formatProgress({ done: -5, total: 10, perSecond: 0 })).toContain(' 0%');
    expect(formatProgress({ done: 15, total: 10, perSecond: 0 })).toContain('100%');
  });
});

describe('ProgressBar', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the rate includes what was sent before the first redraw', () => {
    jest.useFakeTimers();
    let drawn = '';
    const bar = new ProgressBar(4096, {
      write: (text) => {
        drawn = text;
      },
    });
    bar.advance(1024);
    jest.advanceTimersByTime(1000);
    expect(drawn).toContain(' 25%  1.0 KiB of 4.0 KiB  1.0 KiB/s  3.0 s left');
    bar.end();
  });
});

describe('quantities', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1536, '1.5 KiB'],
    [500 * 1024 * 1024, '500 MiB'],
  ])('formats %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [10, '1 minute'],
    [599, '10 minutes'],
    [22_800, '6 hours'],
  ])('formats a deadline in %d seconds as %s', (seconds, text) => {
    expect(formatTimeLeft(new Date(Date.now() + seconds * 1000).toISOString())).toBe(text);
  });

  it('formats a deadline with its date and the days that are left', () => {
    const deadline = new Date(Date.now() + 30 * 86_400_000).toISOString();
    expect(formatDeadline(deadline)).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d 2\d{3} \d\d:\d\d \(in 30 days\)$/);
  });

  it('formats durations and counts', () => {
    expect([formatDuration(2_340), formatDuration(34_000), formatDuration(125_000)]).toEqual([
      '2.3 s',
      '34 s',
      '2 min 5 s',
    ]);
    expect([plural(1, 'file'), plural(2000, 'file')]).toEqual(['1 file', '2,000 files']);
  });
});
