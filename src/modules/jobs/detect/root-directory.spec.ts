import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { refused } from '../../../../test/support/sites/commit-in-memory.js';
import { rootDirectoryOf } from './root-directory.js';

describe('rootDirectoryOf', () => {
  it.each([
    [null, '.'],
    ['', '.'],
    ['.', '.'],
    ['./', '.'],
    ['/', '.'],
    ['/a/b/', 'a/b'],
    ['./a', 'a'],
  ])('%j becomes %s', (text, path) => expect(rootDirectoryOf(text)).toBe(path));
  it.each(['..', '../a', 'a/../b', 'a//b', 'a/./b', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(2_000)])(
    '%j is rejected',
    (text) => expect(() => rootDirectoryOf(text)).toThrow(refused('invalid_request')),
  );
  it('a path with many slashes is rejected quickly', () => {
    const spent = cpuClock();
    expect(() => rootDirectoryOf(`a${'/'.repeat(60_000)}b`)).toThrow(refused('invalid_request'));
    expect(spent()).toBeLessThan(2_000);
  });
});
