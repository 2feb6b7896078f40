import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { refused } from '../../../../test/support/sites/commit-in-memory.js';
import { parseRootDirectory } from './root-directory.js';

describe('parseRootDirectory', () => {
  it.each([
    [null, '.'],
    ['', '.'],
    ['.', '.'],
    ['./', '.'],
    ['/', '.'],
    ['/a/b/', 'a/b'],
    ['./a', 'a'],
  ])('turns %j into %s', (text, path) => expect(parseRootDirectory(text)).toBe(path));
  it.each(['..', '../a', 'a/../b', 'a//b', 'a/./b', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(2_000)])(
    'rejects %j',
    (text) => expect(() => parseRootDirectory(text)).toThrow(refused('invalid_request')),
  );
  it('rejects a path with many slashes quickly', () => {
    const spent = cpuClock();
    expect(() => parseRootDirectory(`a${'/'.repeat(60_000)}b`)).toThrow(refused('invalid_request'));
    expect(spent()).toBeLessThan(2_000);
  });
});
