import { describe, expect, it } from '@jest/globals';
import { findRef } from './ref-name.js';

const MAIN = `1a2b3c4${'0'.repeat(33)}`;
const V1 = `1a2b3c9${'0'.repeat(33)}`;
const refs = new Map([
  ['HEAD', MAIN],
  ['refs/heads/main', MAIN],
  ['refs/heads/feature/x', V1],
  ['refs/tags/v1', V1],
  ['refs/pull/7/head', V1],
]);
const found = { refs, head: 'refs/heads/main' };
const missing = expect.objectContaining({ name: 'Refusal', code: 'repo_unreachable' });

describe('findRef', () => {
  it.each([
    [null, 'HEAD', 'main'],
    ['main', 'refs/heads/main', 'main'],
    ['feature/x', 'refs/heads/feature/x', 'feature/x'],
    ['v1', 'refs/tags/v1', 'v1'],
    ['refs/heads/main', 'refs/heads/main', 'main'],
    ['refs/tags/v1', 'refs/tags/v1', 'v1'],
    ['refs/pull/7/head', 'refs/pull/7/head', 'refs/pull/7/head'],
    [MAIN, MAIN, MAIN],
    ['1a2b3c4', MAIN, MAIN],
  ])('%s is found as %s', (ref, full, short) => expect(findRef(found, { ref })).toEqual({ full, short }));

  it('the start of a commit that no ref points to has to be looked up', () =>
    expect(findRef(found, { ref: 'abcdef0' })).toBeNull());

  it('the start of several commits is refused', () => expect(() => findRef(found, { ref: '1a2b3c' })).toThrow(missing));

  it.each(['nothing', 'refs/heads/nothing'])('%s is refused', (ref) =>
    expect(() => findRef(found, { ref })).toThrow(missing),
  );

  it('a branch can be given in full', () => {
    const branch = { full: 'refs/heads/main', short: 'main' };
    expect(findRef(found, { ref: 'refs/heads/main', isBranch: true })).toEqual(branch);
    expect(() => findRef(found, { ref: 'v1', isBranch: true })).toThrow(missing);
  });
});
