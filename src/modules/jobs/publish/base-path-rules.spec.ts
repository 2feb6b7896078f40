import { describe, expect, it } from '@jest/globals';
import type { JobFile } from '../../sites/api/deploys.js';
import { withBasePathRules } from './base-path-rules.js';

const built = '<!doctype html><script type=module src="/my-repo/assets/a.js"></script>';

/** Returns the published files by path, and the base paths for which rules were added. */
async function published(files: Record<string, string>) {
  const added: string[] = [];
  const given = async function* (): AsyncGenerator<JobFile> {
    for (const [path, text] of Object.entries(files)) yield { path, content: pieces(text) };
  };
  const all: Record<string, string> = {};
  for await (const file of withBasePathRules(given(), Object.keys(files), (base) => added.push(base)))
    all[file.path] = 'content' in file ? await textOf(file.content) : file.leftOut;
  return { all, added };
}

async function* pieces(text: string) {
  for (const half of [text.slice(0, 20), text.slice(20)]) yield Buffer.from(half);
}

async function textOf(content: Uint8Array | AsyncIterable<Uint8Array>) {
  let text = '';
  for await (const piece of content instanceof Uint8Array ? [content] : content) text += Buffer.from(piece).toString();
  return text;
}

describe('Rules for a site that was built for a path', () => {
  it.each([
    ['first', { 'index.html': built, 'assets/a.js': 'a' }],
    ['last', { 'assets/a.js': 'a', 'index.html': built }],
    ['with a picture at the root', { 'index.html': `${built}<img src="/a.png">`, 'a.png': '', 'assets/a.js': 'a' }],
    ['with a base URL', { 'index.html': '<base href=/my-repo/><script src=assets/a.js></script>', 'assets/a.js': 'a' }],
  ])('a site that was built for a path is served at that path if its page comes %s', async (_, files) => {
    const { all, added } = await published(files);
    expect(added).toEqual(['/my-repo/']);
    expect(all).toEqual({
      ...files,
      _redirects: '/ /my-repo/ 302!\n/my-repo /my-repo/ 302\n/my-repo/* /:splat 200!\n',
    });
  });

  it.each<[string, Record<string, string>]>([
    ['has its own rules', { 'index.html': built, 'assets/a.js': 'a', _redirects: '/a /b' }],
    ['has the file at that path', { 'index.html': built, 'my-repo/assets/a.js': 'a', 'assets/a.js': 'a' }],
    ['prevents them with an empty file', { 'index.html': built, 'assets/a.js': 'a', _redirects: '' }],
    ['has another file at that path', { 'index.html': built, 'assets/a.js': 'a', 'my-repo/b.png': 'b' }],
    [
      'has a script that works at the root',
      { 'index.html': `${built}<script src="/b.js"></script>`, 'assets/a.js': 'a', 'b.js': 'b' },
    ],
    [
      'has a script with a relative URL',
      { 'index.html': `${built}<script src="./b.js"></script>`, 'assets/a.js': 'a', 'b.js': 'b' },
    ],
    [
      'has scripts below two paths',
      { 'index.html': `${built}<script src="/x/b.js"></script>`, 'assets/a.js': 'a', 'b.js': 'b' },
    ],
    ['only has a picture below a path', { 'index.html': '<img src="/my-repo/a.png">', 'a.png': 'a' }],
    ['was built for the root', { 'index.html': '<script src="/assets/a.js"></script>', 'assets/a.js': 'a' }],
    ['only refers to it in another page', { 'index.html': 'x', 'b.html': built, 'assets/a.js': 'a' }],
    [
      'was built for a path that rules would misread',
      { 'index.html': '<script src="/my*repo/assets/a.js"></script>', 'assets/a.js': 'a' },
    ],
  ])('no rules for a base path are added to a site that %s', async (_, files) =>
    expect(await published(files)).toEqual({ all: files, added: [] }),
  );
});
