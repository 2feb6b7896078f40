import { describe, expect, it } from '@jest/globals';
import { parseRepoAddress } from './repo-address.js';

const REPO = 'https://github.com/o/r';

describe('parseRepoAddress', () => {
  it.each([
    [REPO, { url: REPO }],
    [` ${REPO} \n`, { url: REPO }],
    ['github.com/o/r', { url: REPO }],
    ['git@github.com:o/r.git', { url: `${REPO}.git` }],
    ['ssh://git@github.com/o/r.git', { url: `${REPO}.git` }],
    ['ssh://git@git.example.org:2222/o/r.git', { url: 'https://git.example.org/o/r.git' }],
    ['git://github.com/o/r', { url: REPO }],
    [`git+${REPO}.git`, { url: `${REPO}.git` }],
    [`${REPO}#draft`, { url: REPO, ref: 'draft' }],
    [`${REPO}.git#feature%2Fx`, { url: `${REPO}.git`, ref: 'feature/x' }],
    ['git@github.com:o/r.git#v1', { url: `${REPO}.git`, ref: 'v1' }],
    [`${REPO}?tab=readme-ov-file#readme`, { url: REPO }],
    [`${REPO}/tree/main`, { url: REPO, ref: 'main' }],
    [`${REPO}/tree/main/packages/site/`, { url: REPO, ref: 'main', rootDirectory: 'packages/site' }],
    [`${REPO}/tree/main/a%20b`, { url: REPO, ref: 'main', rootDirectory: 'a b' }],
    [`${REPO}/tree/main/docs?tab=readme-ov-file#usage`, { url: REPO, ref: 'main', rootDirectory: 'docs' }],
    [`${REPO}/blob/main/site/index.html#L3`, { url: REPO, ref: 'main', rootDirectory: 'site' }],
    [`${REPO}/blob/main/README.md`, { url: REPO, ref: 'main' }],
    [`${REPO}/commit/0123abc`, { url: REPO, ref: '0123abc' }],
    [
      'https://gitlab.com/a/b/c/r/-/tree/main/sub',
      { url: 'https://gitlab.com/a/b/c/r', ref: 'main', rootDirectory: 'sub' },
    ],
    ['https://gitlab.com/a/r/-/blob/v1/sub/x.md', { url: 'https://gitlab.com/a/r', ref: 'v1', rootDirectory: 'sub' }],
    [
      'https://codeberg.org/o/r/src/branch/pages/sub',
      { url: 'https://codeberg.org/o/r', ref: 'pages', rootDirectory: 'sub' },
    ],
    ['https://git.example.org/o/r/src/tag/v1', { url: 'https://git.example.org/o/r', ref: 'v1' }],
    ['https://bitbucket.org/o/r/src/main/sub', { url: 'https://bitbucket.org/o/r', ref: 'main', rootDirectory: 'sub' }],
  ])('converts %j to %j', (url, expected) => expect(parseRepoAddress({ url })).toEqual(expected));

  it.each(['https://git.example.org/a/b/c', 'file:///etc', '-oProxyCommand=id', '../x', 'https://user@github.com/a/b'])(
    'returns %s unchanged',
    (url) => expect(parseRepoAddress({ url })).toEqual({ url }),
  );

  it('uses `ref` to find the end of a branch name with slashes', () =>
    expect(parseRepoAddress({ url: `${REPO}/tree/feature/x/site`, ref: 'feature/x' })).toEqual({
      ...{ url: REPO, ref: 'feature/x', rootDirectory: 'site' },
    }));

  it.each([
    ['ref', { url: `${REPO}/tree/main`, ref: 'draft' }],
    ['ref', { url: `${REPO}#main`, ref: 'draft' }],
    ['rootDirectory', { url: `${REPO}/tree/main/a`, rootDirectory: 'b' }],
  ])('rejects %s if it contradicts the URL', (path, request) =>
    expect(() => parseRepoAddress(request)).toThrow(
      expect.objectContaining({ code: 'invalid_request', faults: [expect.objectContaining({ path })] }),
    ),
  );
});
