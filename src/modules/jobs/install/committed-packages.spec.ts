import { describe, expect, it } from '@jest/globals';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { ignoredPackages, withoutCommittedPackages } from './committed-packages.js';

const entry = (path: string | null, kind: RepoEntry['kind'] = 'file'): RepoEntry => ({
  ...{ path, kind, oid: '1'.repeat(40), size: 1, isExecutable: false },
});

describe('Committed node_modules folders', () => {
  it('committed folders, links and submodules named node_modules are left out at any depth', () => {
    const entries = [
      entry('package.json'),
      entry('node_modules/a/index.js'),
      entry('node_modules/a/node_modules/b/index.js'),
      entry('lib/node_modules', 'link'),
      entry('deep/er/node_modules', 'submodule'),
      entry(null),
      entry('old_node_modules/a.js'),
      entry('node_modules.md'),
      entry('x_node_modules/node_modules_x/node_modules/a.js'),
    ];
    const { entries: left, folders } = withoutCommittedPackages(entries);
    expect(left.map(({ path }) => path)).toEqual(['package.json', null, 'old_node_modules/a.js', 'node_modules.md']);
    expect(folders).toEqual([
      'node_modules',
      'lib/node_modules',
      'deep/er/node_modules',
      'x_node_modules/node_modules_x/node_modules',
    ]);
  });

  it('committed node_modules folders are listed in the log, at most five of them by name', () => {
    expect(ignoredPackages(['node_modules'])).toBe(
      'Ignored 1 node_modules folder in the repository (node_modules): dependencies are installed instead.',
    );
    expect(ignoredPackages(Array.from({ length: 7 }, (_, n) => `${n}/node_modules`))).toMatch(
      /^Ignored 7 node_modules folders in the repository \(0\/node_modules, .*4\/node_modules, …\): /,
    );
  });
});
