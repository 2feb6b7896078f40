import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { decodeManifest, encodeManifest, type ManifestFile } from './manifest.js';

const file = (path: string, size = 5, digit = 'a'): ManifestFile => ({ path, sha256: digit.repeat(64), size });
const pathsOf = (text: Buffer) =>
  text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(67));

describe('A manifest', () => {
  const files = [file('index.html', 12, 'b'), file('a b/c  d.html', 0, 'c'), file('café/🦦.svg', 1_073_741_824, 'd')];

  it('has one line per file, with its digest, size and path', () =>
    expect(encodeManifest(files).text.toString()).toBe(
      `${'c'.repeat(64)} 0 a b/c  d.html\n${'d'.repeat(64)} 1073741824 café/🦦.svg\n${'b'.repeat(64)} 12 index.html\n`,
    ));

  it('has the digest that sha256sum computes for its lines', () => {
    const { digest, text } = encodeManifest(files);
    expect(execFileSync('sha256sum', { input: text, encoding: 'utf8' })).toBe(`${digest}  -\n`);
  });

  it('has a digest that does not depend on the order of the files', () =>
    expect(encodeManifest([...files].reverse())).toEqual(encodeManifest(files)));

  it('differs if a path, a size or some content differs', () => {
    const digests = [[file('a')], [file('b')], [file('a', 6)], [file('a', 5, 'b')], [file('a'), file('b')]].map(
      (each) => encodeManifest(each).digest,
    );
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('is sorted by path in byte order, not in JavaScript’s string order', () => {
    // 🦦 sorts before U+FF21 in UTF-16 (D83E) and after it in UTF-8 (F0, compared to EF).
    const paths = ['\uff21', '🦦', 'é', 'z', 'a/b', 'a-b', 'a', 'Z', 'a.b'];
    const sorted = pathsOf(encodeManifest(paths.map((path) => file(path))).text);
    expect(sorted).toEqual(['Z', 'a', 'a-b', 'a.b', 'a/b', 'z', 'é', '\uff21', '🦦']);
    expect(sorted).not.toEqual([...paths].sort());
    const cLocale = execFileSync('sort', {
      input: paths.join('\n'),
      encoding: 'utf8',
      env: { LC_ALL: 'C', PATH: process.env.PATH },
    });
    expect(sorted).toEqual(cLocale.trimEnd().split('\n'));
  });

  it('decodes to the files that were encoded', () => {
    const { digest, text } = encodeManifest(files);
    const manifest = decodeManifest(digest, text);
    expect(manifest.digest).toBe(digest);
    expect(manifest.bytes).toBe(12 + 1_073_741_824);
    expect([...manifest.files.values()]).toEqual(expect.arrayContaining(files));
    expect(manifest.files.size).toBe(files.length);
    expect(manifest.files.get('café/🦦.svg')).toEqual(files[2]);
    expect(encodeManifest([...manifest.files.values()]).digest).toBe(digest);
  });

  it('supports paths that look like its own lines or contain other line separators', () => {
    const odd = [`${'e'.repeat(64)} 7 x`, '5 a', 'a\u2028b', '__proto__'].map((path) => file(path));
    const { digest, text } = encodeManifest(odd);
    expect([...decodeManifest(digest, text).files.keys()].sort()).toEqual(odd.map(({ path }) => path).sort());
  });
});
