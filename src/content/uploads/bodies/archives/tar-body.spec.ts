import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { paxRecord, tarGzOf, tarOf, zipOf } from '../../../../../test/support/content/archives.js';
import { inPieces, requestOf } from '../../../../../test/support/content/incoming-requests.js';
import { allOf, refusalOf } from '../../../../../test/support/content/upload-bodies.js';
import { workDone } from '../../../../kernel/work-done.js';
import { tarBody } from './tar-body.js';

const limits = { fileBytes: 1e9, deployBytes: 1e9, files: 100, bodyBytes: 1e8 };
const read = (body: Buffer, piece = 65_536, given = limits) => tarBody(requestOf({}, inPieces(body, piece)), given);
/** Reads a body with a known length, as most clients send it. A small body is inflated in one call. */
const announced = (body: Buffer, piece = 65_536, given = limits) =>
  tarBody(requestOf({ 'content-length': String(body.length) }, inPieces(body, piece)), given);
/** Returns the error for a body. Checks that it is the same with and without a known length. */
async function refused(...given: Parameters<typeof read>) {
  const refusal = await refusalOf(() => read(...given));
  expect(await refusalOf(() => announced(...given))).toEqual(refusal);
  return refusal;
}
const file = (n: number, path: string, content: string) => ({ path, field: `files[${n}]`, content });
const long = `${'long/'.repeat(40)}name.txt`;

describe('A tar.gz archive', () => {
  const contents = ['', 'one', 'x'.repeat(511), 'y'.repeat(512), 'z'.repeat(200_001)];

  it('regular files are found, no matter how the body is split into chunks', async () => {
    const members = contents.map((content, n) => ({ path: `./site/${n}.txt`, content }));
    const body = tarGzOf([{ path: './site/', type: 'Directory' }, ...members]);
    for (const size of [1, 7, 512, 65_536])
      for (const reading of [read, announced])
        expect(await allOf(reading(body, size))).toEqual(members.map(({ path, content }, n) => file(n, path, content)));
  });

  it('a small archive is inflated in one call, and a large one as a stream', async () => {
    const small = [file(0, 'a', 'x'.repeat(400_000))];
    const large = [file(0, 'a', 'x'.repeat(900_000)), file(1, 'b', 'y')];
    for (const files of [small, large]) {
      const body = tarGzOf(files);
      expect(body.length).toBeLessThan(64 * 1024);
      const request = requestOf({ 'content-length': String(body.length) }, [body]);
      expect(await allOf(tarBody(request, limits))).toEqual(files);
      expect(workDone(request)).toBe(gunzipSync(body).length);
    }
  });

  it('entries are yielded as the archive arrives', async () => {
    const body = tarGzOf([
      { path: 'a', content: 'x' },
      { path: 'b', content: randomBytes(150_000) },
    ]);
    const rest = Promise.withResolvers<Buffer>();
    const files = tarBody(requestOf({}, [body.subarray(0, 100_000), rest.promise]), limits);
    expect(await files.next()).toMatchObject({ value: { path: 'a' } });
    rest.resolve(body.subarray(100_000));
    expect(await files.next()).toMatchObject({ value: { path: 'b' } });
    expect(await files.next()).toMatchObject({ done: true });
  });

  it.each(['gnu', 'ustar', 'pax', 'v7'])('a tar archive in the format %s can be read', async (format) => {
    const folder = await mkdtemp(join(tmpdir(), 'stele-tar-'));
    try {
      const name = format === 'v7' ? 'short.txt' : long;
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), 'in a deep folder');
      await writeFile(join(folder, 'café.txt'), 'é');
      const body = execFileSync('tar', ['--sort=name', '-cz', '-H', format, '-C', folder, '.'], { maxBuffer: 1e7 });
      const paths = (await allOf(read(body))).map(({ path }) => path);
      expect(paths.sort()).toEqual(['./café.txt', `./${name}`]);

      await symlink('/etc/passwd', join(folder, 'zz'));
      const withLink = execFileSync('tar', ['--sort=name', '-cz', '-H', format, '-C', folder, '.'], { maxBuffer: 1e7 });
      expect(await refused(withLink)).toMatchObject({
        code: 'invalid_path',
        detail: '“./zz” is a link. Archives can contain only files and folders.',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('file names and sizes can be in extension headers', async () => {
    const body = tarGzOf([
      { path: 'pax_global_header', type: 'GlobalExtendedHeader', content: paxRecord('comment', 'a'.repeat(40)) },
      { path: 'x', type: 'ExtendedHeader', content: paxRecord('path', 'new\nline') + paxRecord('size', '3') },
      { path: 'y', content: 'one', size: 0 },
      { path: '././@LongLink', type: 'NextFileHasLongPath', content: `${long}\0` },
      { path: 'z', content: 'two' },
    ]);
    expect(await allOf(read(body))).toEqual([file(0, 'new\nline', 'one'), file(1, long, 'two')]);
  });

  it('extended attributes are ignored, although their values can be binary', async () => {
    const binary = Buffer.from('\x8d\xe2\xf0\x60\x00\xff', 'latin1');
    const record = (key: string) => {
      const rest = Buffer.concat([Buffer.from(` ${key}=`), binary, Buffer.from('\n')]);
      return Buffer.concat([Buffer.from(String(rest.length + 2)), rest]);
    };
    const attributes = [record('SCHILY.xattr.com.apple.lastuseddate#PS'), record('SCHILY.xattr.user.x')];
    const body = tarGzOf([
      {
        path: 'x',
        type: 'ExtendedHeader',
        content: Buffer.concat([...attributes, Buffer.from(paxRecord('path', 'é'))]),
      },
      { path: 'y', content: 'one' },
    ]);
    expect(await allOf(read(body))).toEqual([file(0, 'é', 'one')]);
  });

  it('directory listings of incremental archives, and volume labels, are not treated as files', async () => {
    const body = tarGzOf([
      { path: 'label', type: 'TapeVolumeHeader' },
      { path: './', type: 'GNUDumpDir', content: 'Yindex.html\0\0' },
      { path: './index.html', content: 'one' },
    ]);
    expect(await allOf(read(body))).toEqual([file(0, './index.html', 'one')]);
  });

  it('a path that is not UTF-8 is refused, and the error contains the path and a suggestion', async () => {
    const hdrcharset = Buffer.concat([
      Buffer.from(paxRecord('hdrcharset', 'BINARY')),
      Buffer.from('18 path=caf\xe9.html\n', 'latin1'),
    ]);
    const bodies = [
      tarGzOf([
        { path: 'x', type: 'ExtendedHeader', content: hdrcharset },
        { path: 'y', content: 'one' },
      ]),
      tarGzOf([
        { path: '././@LongLink', type: 'NextFileHasLongPath', content: Buffer.from('caf\xe9.html\0', 'latin1') },
        { path: 'y', content: 'one' },
      ]),
    ];
    for (const body of bodies)
      expect(await refused(body)).toMatchObject({
        code: 'invalid_path',
        detail: 'The archive contains a path that is not valid UTF-8: “caf\ufffd.html”.',
        more: { suggestion: expect.stringContaining('convmv') },
      });
  });

  it('files that archivers add automatically are left out', async () => {
    const junk = ['__MACOSX/._a', 'site/.DS_Store', 'site/Thumbs.db', 'site/._index.html'];
    const body = tarGzOf([...junk.map((path) => ({ path, content: 'junk' })), { path: 'site/a', content: '1' }]);
    const all = await allOf(read(body));
    expect(all.slice(0, 4)).toEqual(junk.map((path) => ({ path, field: 'files[0]', leftOut: expect.any(String) })));
    expect(all.slice(4)).toEqual([file(0, 'site/a', '1')]);
  });

  it.each([
    ['a link', 'SymbolicLink'],
    ['a hard link', 'Link'],
    ['a device', 'CharacterDevice'],
    ['a device', 'BlockDevice'],
    ['a pipe', 'FIFO'],
    ['a sparse file', 'SparseFile'],
    ['the continuation of a file from another archive', 'ContinuationFile'],
  ] as const)('an archive is refused if an entry is %s (%s)', async (what, type) => {
    const link = { path: 'evil', type, ...(what.endsWith(' link') && { linkpath: '/etc/passwd' }) };
    expect(await refused(tarGzOf([{ path: 'a', content: '1' }, link]))).toMatchObject({
      code: 'invalid_path',
      detail: expect.stringContaining(`“evil” is ${what}`),
      faults: [{ path: 'files[1].path' }],
    });
  });

  it.each([
    ['a hard link', tarGzOf([{ path: 'evil', type: 'Link', linkpath: 'a' }]), 'tar --hard-dereference'],
    ['a link', tarGzOf([{ path: 'evil', type: 'SymbolicLink', linkpath: 'a' }]), 'tar -h'],
    ['a pipe', tarGzOf([{ path: 'evil', type: 'FIFO' }]), 'Leave it out'],
    ['a sparse file', tarGzOf([{ path: 'evil', type: 'SparseFile' }]), '--no-read-sparse'],
    [
      'a sparse file in pax format',
      tarGzOf([
        { path: 'x', type: 'ExtendedHeader', content: paxRecord('GNU.sparse.name', 'evil') },
        { path: 'GNUSparseFile.0/evil', content: 'x' },
      ]),
      '--no-read-sparse',
    ],
    ['a page instead of a tar', gzipSync('<p>hello'), 'tar -czf'],
    ['a large file instead of a tar', gzipSync(Buffer.alloc(4096, 'x')), 'tar -czf'],
    ['two archives', gzipSync(Buffer.concat([tarOf([{ path: 'a' }]), tarOf([{ path: 'b' }])])), 'one archive'],
    ['an empty archive', tarGzOf([]), 'Add the files of the site'],
    ['an uncompressed tar archive', tarOf([{ path: 'a', content: '1' }]), 'tar -czf'],
    ['a zip archive', zipOf([{ path: 'a' }]), 'Content-Type: application/zip'],
    ['an archive compressed with bzip2', Buffer.from('BZh91AY&SY'), 'Compress it with gzip'],
  ])('an archive with %s is refused with a suggestion', async (_, body, suggestion) => {
    for (const piece of [100, 65_536])
      expect(await refused(body, piece)).toMatchObject({ more: { suggestion: expect.stringContaining(suggestion) } });
  });

  const whole = tarOf([{ path: 'a', content: 'x'.repeat(2000) }]);
  const damaged = Buffer.from(whole);
  damaged[0] = 0x62;
  it.each([
    ['something other than gzip', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['something other than tar', gzipSync(Buffer.alloc(4096, 'x'))],
    ['half a header', gzipSync(whole.subarray(0, 300))],
    ['half of a file', gzipSync(whole.subarray(0, 1000))],
    ['half of a gzip stream', gzipSync(whole).subarray(0, -9)],
    ['a wrong gzip checksum', Buffer.concat([gzipSync(whole).subarray(0, -8), Buffer.alloc(8)])],
    ['a damaged header', gzipSync(damaged)],
    ['a header with numbers that are too large', gzipSync(Buffer.alloc(512, 0x80))],
    ['a second archive after the first', gzipSync(Buffer.concat([whole, whole]))],
    [
      'an extension header without a member',
      tarGzOf([{ path: 'x', type: 'ExtendedHeader', content: paxRecord('path', 'a') }]),
    ],
    ['a damaged pax header', tarGzOf([{ path: 'x', type: 'ExtendedHeader', content: '99 path=a\n' }, { path: 'a' }])],
    [
      'a series of pax headers',
      tarGzOf(Array.from({ length: 50 }, () => ({ path: 'x', type: 'ExtendedHeader' as const }))),
    ],
    ['an endless pax header', tarGzOf([{ path: 'x', type: 'ExtendedHeader', content: 'x'.repeat(100_000) }])],
    [
      'a sparse file',
      tarGzOf([{ path: 'x', type: 'ExtendedHeader', content: paxRecord('GNU.sparse.major', '1') }, { path: 'a' }]),
    ],
    [
      'a global header that sets a size',
      tarGzOf([{ path: 'x', type: 'GlobalExtendedHeader', content: paxRecord('size', '1') }, { path: 'a' }]),
    ],
    ['a folder with content', tarGzOf([{ path: 'a/', content: 'x' }])],
  ])('a body that contains %s is refused', async (_, body) => {
    for (const size of [100, 65_536]) expect(await refused(body, size)).toMatchObject({ code: 'invalid_request' });
  });

  it('an archive that expands too much when inflated is refused', async () => {
    const bomb = tarGzOf([{ path: 'a', content: Buffer.alloc(30_000_000) }]);
    expect(await refused(bomb)).toMatchObject({ code: 'too_large', detail: expect.stringContaining('200 times') });
    const behind = gzipSync(Buffer.concat([whole, Buffer.alloc(30_000_000)]));
    expect(await refused(behind)).toMatchObject({ code: 'too_large' });
    const tooMuch = tarGzOf([{ path: '.DS_Store', content: Buffer.alloc(900_000) }]);
    expect(await refused(tooMuch, 65_536, { ...limits, deployBytes: 1, files: 1 })).toMatchObject({ code: 'no_files' });
  });

  it('an archive that has no files or too many folders is refused', async () => {
    expect(await refused(tarGzOf([]))).toMatchObject({ code: 'no_files' });
    const folders = Array.from({ length: 1200 }, (_, n) => ({ path: `${n}/`, type: 'Directory' as const }));
    expect(await refused(tarGzOf(folders))).toMatchObject({ code: 'too_many_files' });
  });
});
