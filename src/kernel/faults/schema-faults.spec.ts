import { describe, expect, it } from '@jest/globals';
import { pathText, toFaults, UNKNOWN_MEMBER } from './schema-faults.js';

describe('Faults found by a schema', () => {
  it.each<[Parameters<typeof pathText>[0], string]>([
    [['files', 3, 'path'], 'files[3].path'],
    [['deployId'], 'deployId'],
    [['a', 'b', 'c'], 'a.b.c'],
    [[0], '[0]'],
    [['matrix', 1, 2], 'matrix[1][2]'],
    [[{ key: 'files' }, { key: 3 }, { key: 'path' }], 'files[3].path'],
    [[], ''],
    [undefined, ''],
  ])('the path %j is written as %s', (path, text) => expect(pathText(path)).toBe(text));

  it('an unknown member is named, unless the schema replaces the error message', () => {
    const of = (message: string) => toFaults([{ message, path: ['body'], keys: ['colour', 'tint'] }]);
    expect(of(UNKNOWN_MEMBER).map(({ path }) => path)).toEqual(['body.colour', 'body.tint']);
    expect(of('must be an object with one member')).toEqual([
      { path: 'body', message: 'must be an object with one member' },
    ]);
  });

  it('only the first twenty faults are reported', () => {
    const issues = Array.from({ length: 50 }, (_, n) => ({ message: 'is wrong', path: [n] }));
    expect(toFaults(issues)).toHaveLength(20);
    expect(toFaults(issues)[19]).toEqual({ path: '[19]', message: 'is wrong' });
  });
});
