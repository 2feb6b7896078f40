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
  ])('resolves %s to %s', (ref, full, short) => expect(findRef(found, { ref })).toEqual({ full, short }));

  it('returns null for an abbreviated commit ID that no ref points to', () =>
    expect(findRef(found, { ref: 'abcdef0' })).toBeNull());

  it('rejects an ambiguous abbreviated commit ID', () =>
    expect(() => findRef(found, { ref: '1a2b3c' })).toThrow(missing));

  it.each(['nothing', 'refs/heads/nothing'])('rejects the missing ref %s', (ref) =>
    expect(() => findRef(found, { ref })).toThrow(missing),
  );

  it('accepts the full name of a branch, but no other ref, if a branch is required', () => {
    const branch = { full: 'refs/heads/main', short: 'main' };
    expect(findRef(found, { ref: 'refs/heads/main', isBranch: true })).toEqual(branch);
    expect(() => findRef(found, { ref: 'v1', isBranch: true })).toThrow(missing);
  });
});
