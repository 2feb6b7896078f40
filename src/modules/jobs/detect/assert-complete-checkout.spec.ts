import { describe, expect, it } from '@jest/globals';
import { detect, type FilesOfCommit, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
const submodule = { kind: 'submodule' } as const;
const built: FilesOfCommit = { 'package.json': packageJson({ vite: '8' }), 'index.html': 'x' };

describe('assertCompleteCheckout', () => {
  it.each<[string, FilesOfCommit]>([
    ['themes/it', { 'themes/it': submodule }],
    ['img/it.png', { 'img/it.png': pointer, '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text' }],
    ['img/it.png', { 'img/it.png': pointer, 'img/.gitattributes': '*.png filter=lfs -text' }],
  ])('refuses to build from files that are stored elsewhere: %s', (path, files) =>
    expect(detect({ ...built, ...files })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringMatching(new RegExp(`^${path} is .*not fetched`)),
    }),
  );

  it('checks only the folder of the site', async () => {
    const files = {
      'site/package.json': packageJson({ vite: '8' }),
      'themes/it': submodule,
      'a.bin': pointer,
      '.gitattributes': 'a.bin filter=lfs',
    };
    expect((await detect(files, { rootDirectory: 'site' })).plan).toMatchObject({ kind: 'static_build' });
  });

  it('accepts a file that looks like a Git LFS pointer if the repository does not use Git LFS', async () =>
    expect((await detect({ ...built, 'docs/pointer.txt': pointer })).plan.kind).toBe('static_build'));

  it('does not check plain pages', async () =>
    expect((await detect({ 'index.html': 'x', 'themes/it': submodule })).plan.kind).toBe('static'));
});
