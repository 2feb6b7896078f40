import { posix, win32 } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isInside } from './is-inside.js';

describe('isInside', () => {
  it.each([
    ['/site', '/site'],
    ['/site', '/site/a/b.html'],
    ['/site', '/site/..b'],
    ['/', '/site'],
  ])('%s contains %s', (folder, path) => {
    expect(isInside(folder, path, posix)).toBe(true);
  });

  it.each([
    ['/site', '/'],
    ['/site', '/site2'],
    ['/site', '/other/site'],
  ])('%s does not contain %s', (folder, path) => {
    expect(isInside(folder, path, posix)).toBe(false);
  });

  it.each([
    [String.raw`C:\site`, String.raw`C:\site\a`, true],
    [String.raw`C:\site`, String.raw`c:\SITE\a`, true],
    [String.raw`C:\site`, String.raw`C:\other`, false],
    [String.raw`C:\site`, String.raw`D:\site\a`, false],
    [String.raw`C:\site`, String.raw`\\server\share\a`, false],
  ])('on Windows, %s contains %s: %s', (folder, path, expected) => {
    expect(isInside(folder, path, win32)).toBe(expected);
  });
});
