import { describe, expect, it } from '@jest/globals';
import { isProblem, pathPattern } from './path-pattern.js';
import { RequestPath } from './request-path.js';

function captured(pattern: string, path: string) {
  const read = pathPattern(pattern);
  if (isProblem(read)) throw new Error(read.problem);
  return new RequestPath(path).match(read);
}

describe('A path pattern', () => {
  it.each([
    ['/', '', {}],
    ['/a', 'a', {}],
    ['/a', 'a/', {}],
    ['/a', 'a//', null],
    ['/a', 'A', null],
    ['/a/:b', 'a/x', { b: 'x' }],
    ['/a/:b', 'a//', null],
    ['/:b.html', 'x.html', { b: 'x' }],
    ['/:b.html', '.html', null],
    ['/v:b-x', 'v1-x', { b: '1' }],
    ['/:a_b1', 'x', { a_b1: 'x' }],
    ['/time/12:30', 'time/12:30', {}],
    ['/*', '', { splat: '' }],
    ['/*', 'a/b/', { splat: 'a/b/' }],
    ['/a/*', 'a', { splat: '' }],
    ['/a/*', 'ab', null],
    ['/a*', 'abc/d', { splat: 'bc/d' }],
    ['/ab*ba', 'ab/ba', { splat: '/' }],
    ['/ab*ba', 'aba', null],
    ['/*.jpg', 'deep/a.jpg', { splat: 'deep/a' }],
    ['/*.jpg', 'a.jpg/', { splat: 'a' }],
    ['/*.jpg', 'a.jpg/b', null],
    ['/a/*/b', 'a/b', { splat: '' }],
    ['/a/*/b', 'a/1/2/b/', { splat: '1/2' }],
    ['/a/*/b', 'a', null],
    ['/:x/*/:y', '1/2/3/4', { x: '1', y: '4', splat: '2/3' }],
    ['/*/:constructor', 'a/b', { constructor: 'b', splat: 'a' }],
    ['/%61%20b', 'a b', {}],
  ])('the pattern %s, matched against %j, captures %j', (pattern, path, expected) =>
    expect(captured(pattern, path)).toEqual(expected),
  );

  it.each([
    ['/*/*', 'only one \\*'],
    ['/:a*', 'separated by a slash'],
    ['/:a:b', 'two placeholders'],
    ['/:a/:a', ':a appears twice'],
    ['/:splat/*', ':splat is reserved'],
    ['/%', 'percent-encoded'],
    ['/a%2Fb', 'encoded slash'],
    ['/a'.repeat(65), '64 segments'],
  ])('the pattern %s is refused', (pattern, why) =>
    expect(pathPattern(pattern)).toEqual({ problem: expect.stringMatching(why) }),
  );
});
