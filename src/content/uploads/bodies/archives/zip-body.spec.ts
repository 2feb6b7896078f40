import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { zipOf } from '../../../../../test/support/content/archives.js';
import { inPieces, requestOf } from '../../../../../test/support/content/incoming-requests.js';
import { allOf, refusalOf } from '../../../../../test/support/content/upload-bodies.js';
import { zipBody } from './zip-body.js';

const limits = { fileBytes: 1e9, deployBytes: 1e9, files: 100, bodyBytes: 1e8 };
const file = (n: number, path: string, content: string) => ({ path, field: `files[${n}]`, content });
const a = { path: 'a', content: 'one' };

describe('A zip archive', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-zip-'));
  });
  afterAll(async () => {
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
  const read = (body: Buffer, piece = 65_536, given = limits) =>
    zipBody(requestOf({}, inPieces(body, piece)), given, folder);
  const refused = (...given: Parameters<typeof read>) => refusalOf(() => read(...given));

  it('regular files are found, whether they are stored or deflated', async () => {
    const contents = ['', 'one', 'x'.repeat(200_001)];
    const members = contents.flatMap((content, n) => [
      { path: `site/${n}`, content },
      { path: `site/é${n}`, content, stored: true },
    ]);
    const body = zipOf([{ path: 'site/', mode: 0o040755 }, ...members]);
    for (const size of [1000, 65_536])
      expect(await allOf(read(body, size))).toEqual(
        members.map(({ path, content }, n) => ({ ...file(n, path, content) })),
      );
  });

  it.each([false, true])(
    'an archive that was written as a stream can be read (zip64: %s)',
    async (forceZip64Format) => {
      const zip = new ZipFile();
      const pieces: Buffer[] = [];
      zip.addBuffer(Buffer.from('hello'), 'index.html', { forceZip64Format });
      zip.addEmptyDirectory('folder');
      zip.end({ forceZip64Format, comment: '' });
      zip.outputStream.on('data', (piece: Buffer) => pieces.push(piece));
      await once(zip.outputStream, 'end');
      expect(await allOf(read(Buffer.concat(pieces)))).toEqual([file(0, 'index.html', 'hello')]);
    },
  );

  it('paths are returned unchanged, because they are checked later', async () => {
    const paths = ['../a', '/etc/passwd', 'C:/a', 'a\\b', 'a\0b'];
    const all = await allOf(read(zipOf(paths.map((path) => ({ path })))));
    expect(all.map(({ path }) => path)).toEqual(paths);
  });

  const named = async (path: string | Buffer, maker: number, flags = 0) => {
    for await (const entry of read(zipOf([{ path, maker, flags, content: 'x' }])))
      return [entry.path, 'warning' in entry ? entry.warning : undefined];
  };
  const UNKNOWN = expect.stringContaining('unknown encoding');
  const BACKSLASHES = expect.stringContaining('backslashes');
  it.each([
    ['a name in UTF-8 without the flag, made on Unix', 'é.html', 3, 'é.html', undefined],
    ['a name in UTF-8 without the flag, made on Windows', '画像.png', 0, '画像.png', undefined],
    ['a name in CP437, made by DOS', Buffer.from('caf\x82.html', 'latin1'), 0, 'café.html', undefined],
    ['a name in Shift_JIS, made on Windows', Buffer.from('\x89\xe6\x91\x9c.png', 'latin1'), 0, 'ëµæ£.png', UNKNOWN],
    ['a name in Latin-1, made on Unix', Buffer.from('caf\xe9.html', 'latin1'), 3, 'cafΘ.html', UNKNOWN],
    ['a name in GBK that is UTF-8 by chance', Buffer.from('\xcd\xbc\xc6\xac.png', 'latin1'), 0, 'ͼƬ.png', UNKNOWN],
    ['a name in UTF-8 with one script, made on Windows', 'привет.html', 0, 'привет.html', undefined],
    ['a name with backslashes, made on Windows', 'css\\a\\b.css', 0, 'css/a/b.css', BACKSLASHES],
    ['a name with backslashes, made on NTFS', 'css\\a.css', 10, 'css/a.css', BACKSLASHES],
    ['a name with backslashes, made on Unix', 'css\\a.css', 3, 'css\\a.css', undefined],
    ['a name with a slash and a backslash, made on Windows', 'css/a\\b.css', 0, 'css/a\\b.css', undefined],
  ])('decodes %s as other tools do', async (_, path, maker, expected, warning) => {
    expect(await named(path, maker)).toEqual([expected, warning]);
  });

  it('an entry whose name ends in a backslash is a folder', async () => {
    const body = zipOf([
      { path: 'css\\', maker: 0 },
      { path: 'css\\a.css', maker: 0, content: 'x' },
    ]);
    expect((await allOf(read(body))).map(({ path }) => path)).toEqual(['css/a.css']);
  });

  it.each([
    ['on Windows', { maker: 0, mode: 0, attributes: 0x10 }],
    ['on Unix', { maker: 3, mode: 0o040755 }],
  ])('skips a folder that was created %s and whose name does not end in a slash', async (_, folder) => {
    const body = zipOf([
      { path: 'css', ...folder },
      { path: 'css/a.css', content: 'x' },
    ]);
    expect((await allOf(read(body))).map(({ path }) => path)).toEqual(['css/a.css']);
  });

  it('keeps control characters in a name instead of reading them as graphic characters of CP437', async () => {
    expect(await named('a\tb.html', 0)).toEqual(['a\tb.html', undefined]);
    expect(await named('a\tb-caf\x82.html', 3)).toEqual(['a\tb-caf\x82.html', undefined]);
  });

  it('leaves out the icon files of macOS folders', async () => {
    const body = zipOf([{ path: 'img/Icon\r', flags: 0 }, { path: 'Icon\r' }, a]);
    expect((await allOf(read(body))).map(({ leftOut }) => typeof leftOut)).toEqual(['string', 'string', 'undefined']);
  });

  it('rejects other formats and empty archives with a suggestion', async () => {
    const wrong = [
      [zipOf([{ ...a, method: 9 }]), 'without “deflate64”, which Windows uses for large files'],
      [zipOf([{ ...a, method: 93 }]), 'with the method “deflate”'],
      [zipOf([{ ...a, method: 12 }]), 'with the method “deflate”'],
      [zipOf([{ ...a, flags: 0x801 }]), 'without a password'],
      [Buffer.from('\n<!doctype html><title>Not found</title>'), 'Open it in an editor'],
      [Buffer.from('{"message":"Not found"}'), 'Open it in an editor'],
      [zipOf([a]).subarray(0, -30), 'Make the archive again'],
      [gzipSync('x'), 'application/gzip'],
      [Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1'), 'Send a zip or tar.gz archive.'],
      [zipOf([]), 'Add the files of the site'],
    ] as const;
    for (const [body, suggestion] of wrong)
      expect(await refused(body)).toMatchObject({ more: { suggestion: expect.stringContaining(suggestion) } });
  });

  it('an archive is refused if a file name is too long, or if all names together are too long', async () => {
    const long = await refused(zipOf([a, { path: 'x'.repeat(65_535) }]));
    expect(long).toMatchObject({ code: 'invalid_path', detail: expect.stringContaining('longer than 1,024 bytes') });
    const many = Array.from({ length: 1_050 }, (_, n) => ({ path: `${n}${'x'.repeat(2_000)}` }));
    expect(await refused(zipOf(many), 65_536, { ...limits, files: 1_000 })).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('file names whose total length is too large'),
    });
  });

  it('files that archivers add automatically are left out', async () => {
    const body = zipOf([{ path: '__MACOSX/._a' }, { path: 'x/.DS_Store' }, a]);
    expect((await allOf(read(body))).map(({ leftOut }) => typeof leftOut)).toEqual(['string', 'string', 'undefined']);
  });

  it.each([
    ['a link', 0o120777],
    ['a pipe', 0o010644],
    ['a device', 0o020644],
    ['a device', 0o060644],
    ['a device', 0o140644],
  ])('an archive is refused if an entry is %s (%o)', async (what, mode) => {
    expect(await refused(zipOf([{ ...a }, { path: 'evil', content: '/etc/passwd', mode }]))).toMatchObject({
      code: 'invalid_path',
      detail: expect.stringContaining(`“evil” is ${what}`),
    });
  });

  const whole = zipOf([a, { path: 'b', content: 'two' }]);
  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is not a zip', Buffer.from('hello')],
    ['is cut off', whole.subarray(0, -10)],
    ['lacks its first half', whole.subarray(whole.length / 2)],
    ['is encrypted', zipOf([{ ...a, flags: 0x801 }])],
    ['is strongly encrypted', zipOf([{ ...a, flags: 0x841 }])],
    ['uses an unsupported compression method', zipOf([{ ...a, method: 12 }])],
    ['declares too small a size', zipOf([{ ...a, size: 2 }])],
    ['declares too large a size', zipOf([{ ...a, size: 4 }])],
    ['declares too large a size for a stored file', zipOf([{ ...a, stored: true, size: 4 }])],
    ['has a wrong checksum', zipOf([{ ...a, crc: 1 }])],
    ['declares a stored file as deflated', zipOf([{ path: 'a', content: 'hello', stored: true, method: 8 }])],
    ['uses the same bytes twice', zipOf([a, { ...a, path: 'b', at: 0 }])],
    ['declares too few files', zipOf([a, { path: 'b' }], { count: 1 })],
    ['declares too many files', zipOf([a], { count: 2 })],
    ['has a folder with content', zipOf([{ ...a, path: 'a/' }])],
    ['is followed by other data', zipOf([a], { end: Buffer.from('x') })],
  ])('an archive is refused if it %s', async (_, body) => {
    expect(await refused(body)).toMatchObject({ code: 'invalid_request' });
  });

  it('an archive whose files overlap is refused', async () => {
    const inner = zipOf([{ path: 'inner', content: 'one', stored: true }]).subarray(0, 38);
    const body = zipOf([
      { path: 'outer', content: inner, stored: true },
      { path: 'inner', content: 'one', stored: true, at: 0 },
    ]);
    // Makes the second entry start within the content of the first.
    body.writeUInt32LE(35, body.lastIndexOf('inner') - 4);
    expect(await refused(body)).toMatchObject({ detail: 'The zip archive has overlapping files.' });
  });

  it('an archive that expands too much when inflated is refused', async () => {
    const bomb = zipOf([{ path: 'a', content: Buffer.alloc(30_000_000) }]);
    expect(await refused(bomb)).toMatchObject({ code: 'too_large', detail: expect.stringContaining('200 times') });
  });

  it('an archive is refused if it has no files or too many, or as soon as it exceeds the size limit', async () => {
    expect(await refused(zipOf([]))).toMatchObject({ code: 'no_files' });
    expect(await refused(zipOf([{ path: 'a/' }]))).toMatchObject({ code: 'no_files' });
    const many = zipOf(Array.from({ length: 1200 }, (_, n) => ({ path: `${n}` })));
    expect(await refused(many)).toMatchObject({
      code: 'too_many_files',
      detail: 'The archive has 1,200 entries, but a deploy can have at most 100 files.',
    });
    const oneMore = zipOf(Array.from({ length: 101 }, (_, n) => ({ path: `${n}` })));
    expect(await refused(oneMore)).toMatchObject({ detail: 'This deploy has 101 files, but the limit is 100.' });
    const announced = () => zipBody(requestOf({ 'content-length': '9999999999' }, []), limits, folder);
    expect(await refusalOf(announced)).toMatchObject({ code: 'too_large' });
  });
});
