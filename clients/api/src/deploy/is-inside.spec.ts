import { posix, win32 } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isInside } from './is-inside.js';

describe('isInside', () => {
  it.each([
    ['/site', '/site'],
    ['/site/a/b.html', '/site'],
    ['/site/..b', '/site'],
    ['/site/a/../b', '/site'],
    ['/site', '/'],
  ])('%s is inside %s', (path, folder) => {
    expect(isInside(path, folder, posix)).toBe(true);
  });

  it.each([
    ['/', '/site'],
    ['/site2', '/site'],
    ['/other/site', '/site'],
    ['/site/../a', '/site'],
  ])('%s is not inside %s', (path, folder) => {
    expect(isInside(path, folder, posix)).toBe(false);
  });

  it.each([
    [String.raw`C:\site\a`, String.raw`C:\site`, true],
    [String.raw`c:\SITE\a`, String.raw`C:\site`, true],
    [String.raw`C:\other`, String.raw`C:\site`, false],
    [String.raw`D:\site\a`, String.raw`C:\site`, false],
    [String.raw`\\server\share\a`, String.raw`C:\site`, false],
  ])('on Windows, %s is inside %s: %s', (path, folder, expected) => {
    expect(isInside(path, folder, win32)).toBe(expected);
  });
});
