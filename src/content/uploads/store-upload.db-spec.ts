import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PacksUnderTest } from '../../../test/support/content/packs.js';
import { cpuClock } from '../../../test/support/hostile/cpu-clock.js';
import { decodeManifest, type Manifest } from '../../storage/blobs/manifest.js';
import type { PackedBlobs } from '../../storage/blobs/packed-blobs.js';
import type { UploadedEntry } from './bodies/body-chunks.js';
import { storeUpload, storeUploadAgain, type UploadContext } from './store-upload.js';
import { UploadedContent } from './uploaded-files.js';

const limits = { fileBytes: 1000, deployBytes: 2000, files: 5, bodyBytes: 1e6 };
const sha256 = (content: string) => hash('sha256', content);

type Given = { path: string } & ({ content: string } | { sha256: string } | { delete: true } | { leftOut: string });
const file = (path: string, content = path) => ({ path, content });

async function* incoming(given: readonly Given[], inArchive: boolean): AsyncGenerator<UploadedEntry> {
  for (const [index, one] of given.entries()) {
    const field = `files[${index}]`;
    if (!('content' in one)) yield { ...one, field };
    else yield { ...one, field, content: Buffer.from(one.content), ...(inArchive && { inArchive: true as const }) };
  }
}

describe('Storing an upload', () => {
  let packs: PacksUnderTest;
  let blobs: PackedBlobs;
  beforeAll(async () => {
    packs = await PacksUnderTest.open();
    blobs = await packs.store();
  });
  afterAll(() => packs.close());

  const take = (given: readonly Given[], around: Partial<UploadContext> = {}) =>
    storeUpload(blobs, incoming(given, false), limits, {
      isWhole: true,
      base: null,
      owned: async () => new Map(),
      ...around,
    });
  const unpack = (given: readonly Given[]) => storeUpload(blobs, incoming(given, true), limits);
  const stored = async (digest: string): Promise<Manifest> => decodeManifest(digest, await blobs.read(digest));
  const pathsOf = async ({ manifest }: { manifest: string }) => [...(await stored(manifest)).files.keys()];
  const baseOf = async (...given: Given[]) => stored((await take(given)).manifest);
  const owning = (...contents: string[]) => ({
    owned: async () => new Map(contents.map((content) => [sha256(content), content.length])),
  });

  it('an upload stores all files and a manifest', async () => {
    const taken = await take([file('index.html', '<p>'), file('b', 'two')]);
    expect(taken).toMatchObject({ files: 2, bytes: 6, warnings: [] });
    expect((await stored(taken.manifest)).files.get('b')).toEqual({ path: 'b', sha256: sha256('two'), size: 3 });
    expect((await blobs.read(sha256('two'))).toString()).toBe('two');
  });

  it('files and bytes are reported as they arrive', async () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => file(path));
    await expect(take(six)).rejects.toMatchObject({ code: 'too_many_files' });
    await expect(take([file('a', 'x'.repeat(1001))])).rejects.toMatchObject({ code: 'too_large' });
    const two = [file('a', 'x'.repeat(1000)), file('b', 'y'.repeat(1000))];
    await expect(take([...two, file('c', 'z')])).rejects.toMatchObject({ code: 'too_large' });
    await take(two);
  });

  describe('An upload that changes files of the live deploy', () => {
    it('files can be kept, replaced and removed', async () => {
      const base = await baseOf(file('index.html', '1'), file('old'), file('gone'));
      const taken = await take([file('index.html', '22'), file('new'), { path: 'gone', delete: true }], { base });
      const { files } = await stored(taken.manifest);
      expect([...files.keys()]).toEqual(['index.html', 'new', 'old']);
      expect(files.get('index.html')?.size).toBe(2);
      expect(taken).toMatchObject({ files: 3, bytes: 8, warnings: [] });
    });

    it('removing a file that does not exist causes a warning', async () => {
      const base = await baseOf(file('index.html'));
      const taken = await take([{ path: 'gone', delete: true }], { base });
      expect(taken.manifest).toBe(base.digest);
      expect(taken.warnings).toEqual([{ file: 'gone', message: expect.any(String) }]);
    });

    it('a file can become a folder, and a name can change its case', async () => {
      const base = await baseOf(file('a'), file('Readme'));
      const given: Given[] = [
        { path: 'a', delete: true },
        file('a/b'),
        file('readme'),
        { path: 'Readme', delete: true },
      ];
      expect(await pathsOf(await take(given, { base }))).toEqual(['a/b', 'readme']);
    });

    it.each([
      ['a name that differs only in case', file('READ/ME')],
      ['a file in place of a folder', file('read')],
      ['a file inside another file', file('a/b')],
    ])('an upload with %s is refused, and the error contains the path as it was sent', async (_, given) => {
      const base = await baseOf(file('read/me'), file('a'));
      await expect(take([given], { base })).rejects.toMatchObject({
        code: 'invalid_path',
        faults: [{ path: 'files[0].path' }],
      });
    });

    it('limits apply to the whole site, not only to the upload', async () => {
      const many = await baseOf(...['a', 'b', 'c', 'd', 'e'].map((path) => file(path)));
      await expect(take([file('f')], { base: many })).rejects.toMatchObject({ code: 'too_many_files' });
      const large = await baseOf(file('a', 'a'.repeat(1000)), file('b', 'b'.repeat(900)));
      await expect(take([file('c', 'c'.repeat(101))], { base: large })).rejects.toMatchObject({ code: 'too_large' });
      await take([file('b', 'b'.repeat(1000))], { base: large });
    });

    it('an upload that would leave the site without files is refused', async () => {
      const base = await baseOf(file('a'));
      await expect(take([{ path: 'a', delete: true }], { base })).rejects.toMatchObject({ code: 'no_files' });
      await expect(take([], { base })).rejects.toMatchObject({ code: 'no_files' });
    });

    it('if a newer deploy went live, an upload can be merged with it without being sent again', async () => {
      const taken = await take([file('mine'), { path: 'gone', delete: true }], { base: await baseOf(file('a')) });
      const again = await storeUploadAgain(blobs, taken, limits, await baseOf(file('b'), file('gone')));
      expect(await pathsOf(again)).toEqual(['b', 'mine']);
      expect(again.uploaded.digest).toBe(taken.uploaded.digest);
    });

    it('files can only be removed if there is a live deploy', async () => {
      await expect(take([{ path: 'a', delete: true }])).rejects.toMatchObject({
        code: 'invalid_request',
        faults: [{ path: 'files[0].delete' }],
      });
    });

    it.each([
      [[file('a'), { path: 'a', delete: true as const }]],
      [[{ path: 'a', delete: true as const }, file('a')]],
      [
        [
          { path: 'a', delete: true as const },
          { path: './a', delete: true as const },
        ],
      ],
    ])('sending and removing the same path is refused: %j', async (given) => {
      const base = await baseOf(file('a'));
      await expect(take(given, { base })).rejects.toMatchObject({
        code: 'invalid_path',
        faults: [{ path: 'files[1].path' }],
      });
    });
  });

  describe('An upload that references files by digest', () => {
    it('content that the caller owns can be referenced', async () => {
      await take([file('a', 'mine')]);
      const taken = await take([{ path: 'b', sha256: sha256('mine') }, file('index.html')], owning('mine'));
      expect((await stored(taken.manifest)).files.get('b')).toEqual({ path: 'b', sha256: sha256('mine'), size: 4 });
      expect(taken.bytes).toBe(14);
    });

    it('the error lists all paths whose content does not exist or does not belong to the caller', async () => {
      await take([file('a', 'somebody else’s')]);
      const given = ['somebody else’s', 'never stored', 'mine'].map((content, n) => ({
        path: `${n}`,
        sha256: sha256(content),
      }));
      await take([file('a', 'mine')]);
      await expect(take(given, owning('mine', 'never stored'))).rejects.toMatchObject({
        code: 'blob_missing',
        faults: [{ path: 'files[0].sha256' }, { path: 'files[1].sha256' }],
      });
    });

    it('referenced content is protected from the collector until the deploy is published', async () => {
      const kept = await take([file('a', 'kept alive')]);
      packs.pass(30);
      await take([{ path: 'b', sha256: sha256('kept alive') }], owning('kept alive'));
      await blobs.collect(
        (async function* () {
          yield [] as string[];
        })(),
      );
      expect((await blobs.read(sha256('kept alive'))).toString()).toBe('kept alive');
      await expect(blobs.read(kept.manifest)).rejects.toMatchObject({ name: 'BlobMissingError' });
    });

    it('limits apply to referenced content as well', async () => {
      const large = 'x'.repeat(1500);
      const wide = { ...limits, fileBytes: 2000 };
      await storeUpload(blobs, incoming([file('a', large)], false), wide);
      await expect(take([{ path: 'a', sha256: sha256(large) }], owning(large))).rejects.toMatchObject({
        code: 'too_large',
      });
    });
  });

  describe('An upload of an archive', () => {
    const leftOut = { file: 'site/', message: expect.stringContaining('site/index.html is now index.html') };

    it('a single folder that contains everything, including an index, is stripped with a warning', async () => {
      const taken = await unpack([
        file('./site/index.html'),
        file('site/css/a.css'),
        { path: '__MACOSX/x', leftOut: 'junk' },
      ]);
      expect(await pathsOf(taken)).toEqual(['css/a.css', 'index.html']);
      expect(taken.warnings).toEqual([leftOut, { file: '__MACOSX/', message: 'Left out: junk.' }]);
    });

    it.each([
      [['site/a', 'other/b']],
      [['site/index.html', 'b']],
      [['site', 'sites/a']],
      [['docs/a.html', 'docs/b/index.html']],
      [['docs/INDEX.html']],
    ])('no folder is stripped from %j', async (paths) => {
      const taken = await unpack(paths.map((path) => file(path)));
      expect(await pathsOf(taken)).toEqual(paths.toSorted());
      expect(taken.warnings).toEqual([{ file: 'index.html', message: expect.stringContaining('no index.html') }]);
    });

    it('paths of files that are merged into a live deploy are not changed', async () => {
      const base = await baseOf(file('index.html'));
      const over = (given: Given[], around: Partial<UploadContext>) =>
        storeUpload(blobs, incoming(given, true), limits, { isWhole: false, base: null, ...owning(), ...around });
      const docs = [file('docs/index.html'), file('docs/a.html')];
      const taken = await over(docs, { base });
      expect(await pathsOf(taken)).toEqual(['docs/a.html', 'docs/index.html', 'index.html']);
      expect(taken.warnings).toEqual([]);
      expect(await pathsOf(await over(docs, {}))).toEqual(['docs/a.html', 'docs/index.html']);
    });

    it('paths are checked again after a leading folder has been stripped', async () => {
      await expect(unpack([file('site/index.html'), file('site/c:x')])).rejects.toMatchObject({ code: 'invalid_path' });
    });

    it('no folder is stripped from files that were sent individually', async () => {
      expect(await pathsOf(await take([file('site/index.html')]))).toEqual(['site/index.html']);
    });

    it('warnings show each path without the folder that was stripped', async () => {
      const { warnings } = await unpack([file('site/index.html', '<a href="/x">')]);
      expect(warnings).toEqual([leftOut, { file: 'index.html', line: 1, message: expect.any(String) }]);
    });
  });

  it('an upload that removes 20,000 files is processed quickly', async () => {
    const uploaded = new UploadedContent({ ...limits, files: 50_000 }, { isWhole: false, canRemove: true });
    const intake = blobs.begin();
    const field = 'files[0]';
    for (let n = 0; n < 20_000; n++) await uploaded.add({ path: `a/${n}`, field, content: Buffer.alloc(0) }, intake);
    const spent = cpuClock();
    for (let n = 0; n < 20_000; n++) await uploaded.add({ path: `b/${n}`, field, delete: true }, intake);
    expect(spent()).toBeLessThan(2_000);
    expect(uploaded.removed).toHaveLength(20_000);
    await expect(uploaded.add({ path: 'a/7', field, delete: true }, intake)).rejects.toMatchObject({
      code: 'invalid_path',
    });
    await intake.abandon();
  });

  it.each([
    [['site/index.html', 'README.md'], 'The closest match is site/index.html'],
    [['a/b/index.html', 'docs/index.htm', 'x'], 'The closest match is docs/index.htm'],
    [['Index.html'], 'Rename Index.html to index.html.'],
    [['a.txt'], 'the site’s URL shows a 404 page.'],
  ])('the warning about a missing index.html suggests a likely file: %j', async (paths, message) => {
    const { warnings } = await unpack(paths.map((path) => file(path)));
    expect(warnings).toEqual([{ file: 'index.html', message: expect.stringContaining(message) }]);
  });

  it('a deploy without index.html causes a warning', async () => {
    expect((await take([file('a')])).warnings).toEqual([{ file: 'index.html', message: expect.any(String) }]);
  });
});
