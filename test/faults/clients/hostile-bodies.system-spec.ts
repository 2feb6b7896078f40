// needs: database

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { paxRecord, tarGzOf, tarOf, zipOf } from '../../support/content/archives.js';
import { countBytes } from '../../support/content/changing-folder.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

jest.setTimeout(120_000);

const MEBIBYTE = 1024 * 1024;
const GROWTH = 150_000_000;

type Body = Iterable<Buffer | string>;
type Hostile = [name: string, codes: string, type: string, body: () => Body];

const FORM = 'multipart/form-data; boundary=x';
const JSON_TYPE = 'application/json';
const ZIP = 'application/zip';
const GZIP = 'application/gzip';

const disposition = (path: string) => `content-disposition: form-data; name="files"; filename="${path}"\r\n`;
const part = (path: string, content = 'x') => `--x\r\n${disposition(path)}\r\n${content}\r\n`;
const entry = (fields: object) => `{"files":[${JSON.stringify(fields)}]}`;

function* repeated(count: number, piece: (n: number) => string, before = '', after = ''): Body {
  yield before;
  for (let n = 0; n < count; n += 1000)
    yield Array.from({ length: Math.min(1000, count - n) }, (_, k) => piece(n + k)).join('');
  yield after;
}

const inEveryForm = (name: string, codes: string, ...paths: string[]): Hostile[] => [
  [`${name}, in a form`, codes, FORM, () => [...paths.map((path) => part(path)), '--x--\r\n']],
  [
    `${name}, in JSON`,
    codes,
    JSON_TYPE,
    () => [JSON.stringify({ files: paths.map((path) => ({ path, content: '' })) })],
  ],
  [`${name}, in a zip`, codes, ZIP, () => [zipOf(paths.map((path) => ({ path })))]],
  [
    `${name}, in a tar.gz`,
    codes,
    GZIP,
    () => [
      tarGzOf(
        paths.flatMap((path) => [
          { path: 'pax', type: 'ExtendedHeader' as const, content: paxRecord('path', path) },
          { path: 'x', content: 'x' },
        ]),
      ),
    ],
  ],
];

const fields: Record<string, string> = { path: '"a"', content: '""' };
const wrongTypes = ['path', 'content', 'encoding', 'sha256', 'delete'].flatMap((field) =>
  ['1', 'true', 'null', '[]', '{}', '[{"a":1}]', '{"path":"a"}'].map((value): Hostile => {
    const members = Object.entries({ ...fields, [field]: value }).map(([name, text]) => `"${name}":${text}`);
    return [`${value} as ${field}`, 'invalid_request', JSON_TYPE, () => [`{"files":[{${members.join(',')}}]}`]];
  }),
);

const whole = tarOf([{ path: 'a', content: 'x'.repeat(2000) }]);

const hostile: Hostile[] = [
  ...inEveryForm('a path that leads out of the site', 'invalid_path', '../../etc/passwd'),
  ...inEveryForm('a path that leads out of the site through a folder', 'invalid_path', 'a/../../b'),
  ...inEveryForm('an absolute path', 'invalid_path', '/etc/passwd'),
  ...inEveryForm('a path with a drive letter', 'invalid_path', 'C:/windows/system.ini'),
  ...inEveryForm('a path with backslashes', 'invalid_path', '..\\..\\etc\\passwd'),
  ...inEveryForm('a path that reverses the text direction', 'invalid_path', 'a\u202ecod.exe'),
  ...inEveryForm('a path with a line break', 'invalid_path invalid_request', 'a\nb'),
  ...inEveryForm('an endless path', 'invalid_path', 'a/'.repeat(2000).concat('b')),
  ...inEveryForm('the same path twice', 'invalid_path', 'a', 'a'),
  ...inEveryForm('paths that differ only in case', 'invalid_path', 'readme', 'README'),
  ...inEveryForm('paths that differ only in their Unicode normalization', 'invalid_path', 'caf\u00e9', 'cafe\u0301'),
  ...inEveryForm('a path that is both a file and a folder', 'invalid_path', 'a', 'a/b'),
  ...inEveryForm('a key in a hidden folder', 'blocked_path', '.ssh/id_ed25519'),
  ...inEveryForm('folders that differ only in case', 'invalid_path', 'Assets/a.css', 'assets/b.css'),
  ...inEveryForm(
    'folders that differ only in their Unicode normalization',
    'invalid_path',
    'caf\u00e9/\u017f/a',
    'cafe\u0301/S/b',
  ),
  ...inEveryForm('a .git folder in capitals', 'blocked_path', 'x/.GIT/config'),
  ...inEveryForm('a .git folder by its short name on Windows', 'blocked_path', 'x/GIT~1/config'),
  ...inEveryForm('a .git folder as an NTFS stream', 'blocked_path', '.git::$INDEX_ALLOCATION/config'),
  ...inEveryForm('a .git folder with a trailing space', 'invalid_path', '.git /config'),
  ['a NUL in a path, in a form', 'invalid_path', FORM, () => [part('a\0b'), '--x--']],
  ['a NUL in a path, in JSON', 'invalid_path', JSON_TYPE, () => [entry({ path: 'a\0b', content: '' })]],
  ['a NUL in a path, in a zip', 'invalid_path', ZIP, () => [zipOf([{ path: 'a\0b' }])]],
  [
    'a NUL in a path, in a tar.gz',
    'invalid_path',
    GZIP,
    () => [tarGzOf([{ path: 'pax', type: 'ExtendedHeader', content: paxRecord('path', 'a\0b') }, { path: 'x' }])],
  ],

  ['a link in a zip', 'invalid_path', ZIP, () => [zipOf([{ path: 'a', content: '/etc/passwd', mode: 0o120777 }])]],
  ['a device in a zip', 'invalid_path', ZIP, () => [zipOf([{ path: 'a', mode: 0o020666 }])]],
  [
    'a link in a tar.gz',
    'invalid_path',
    GZIP,
    () => [tarGzOf([{ path: 'a', type: 'SymbolicLink', linkpath: '/etc' }, { path: 'a/b' }])],
  ],
  [
    'a hard link in a tar.gz',
    'invalid_path',
    GZIP,
    () => [tarGzOf([{ path: 'a', type: 'Link', linkpath: '/etc/passwd' }])],
  ],
  ['a device in a tar.gz', 'invalid_path', GZIP, () => [tarGzOf([{ path: 'a', type: 'CharacterDevice' }])]],
  ['a pipe in a tar.gz', 'invalid_path', GZIP, () => [tarGzOf([{ path: 'a', type: 'FIFO' }])]],

  ['a zip bomb', 'too_large', ZIP, () => [zipOf([{ path: 'a', content: Buffer.alloc(80 * MEBIBYTE) }])]],
  [
    'a zip whose files all share the same bytes',
    'invalid_request',
    ZIP,
    () => [
      zipOf([
        { path: 'a', content: Buffer.alloc(MEBIBYTE) },
        ...Array.from({ length: 900 }, (_, n) => ({ path: `${n}`, size: MEBIBYTE, at: 0 })),
      ]),
    ],
  ],
  [
    'a zip that claims to be smaller than it is',
    'invalid_request',
    ZIP,
    () => [zipOf([{ path: 'a', content: Buffer.alloc(5 * MEBIBYTE), size: 10 }])],
  ],
  ['an encrypted zip', 'invalid_request', ZIP, () => [zipOf([{ path: 'a', flags: 1 }])]],
  ['a damaged zip', 'invalid_request', ZIP, () => [zipOf([{ path: 'a', content: 'x', crc: 1 }])]],
  ['an invalid zip', 'invalid_request', ZIP, () => ['PK\x03\x04 and more']],
  [
    'a zip of 100,000 files',
    'too_many_files',
    ZIP,
    () => [
      zipOf(
        Array.from({ length: 100_000 }, (_, n) => ({ path: `${n}`, stored: true })),
        { count: 65_535 },
      ),
    ],
  ],
  ['a tar.gz bomb', 'too_large', GZIP, () => [tarGzOf([{ path: 'a', content: Buffer.alloc(80 * MEBIBYTE) }])]],
  [
    'a tar.gz bomb after the end of the archive',
    'too_large',
    GZIP,
    () => [gzipSync(Buffer.concat([whole, Buffer.alloc(80 * MEBIBYTE)]))],
  ],
  [
    'a tar.gz of 100,000 empty files',
    'too_many_files too_large',
    GZIP,
    () => [tarGzOf(Array.from({ length: 100_000 }, (_, n) => ({ path: `${n}` })))],
  ],
  ['a truncated tar.gz', 'invalid_request', GZIP, () => [gzipSync(whole).subarray(0, -4)]],
  ['a gzip body of random bytes', 'invalid_request', GZIP, () => [randomBytes(1000)]],

  ['a truncated form', 'invalid_request', FORM, () => [part('a'), `--x\r\n${disposition('b')}\r\nhal`]],
  ['a form without its last boundary', 'invalid_request', FORM, () => [part('a')]],
  ['a form of 100,000 parts', 'too_many_files', FORM, () => repeated(100_000, (n) => part(`${n}`), '', '--x--')],
  [
    'ten thousand headers in a part',
    'invalid_request',
    FORM,
    () => repeated(10_000, (n) => `a${n}: b\r\n`, '--x\r\n', `${disposition('a')}\r\nx\r\n--x--`),
  ],
  [
    'an endless header line',
    'invalid_request',
    FORM,
    () => repeated(10_000_000, () => 'a', '--x\r\na: ', `\r\n${disposition('a')}\r\nx\r\n--x--`),
  ],
  ['an endless preamble', 'invalid_request', FORM, () => repeated(10_000_000, () => 'a', '', `\r\n${part('a')}--x--`)],
  [
    'a form with a part that has no name',
    'invalid_request',
    FORM,
    () => [part('a'), '--x\r\ncontent-type: text/plain\r\n\r\nlost\r\n--x--'],
  ],
  ['a second form after the first', 'invalid_request', FORM, () => [part('a'), '--x--\r\n', part('b'), '--x--']],
  ['a form of endless boundaries', 'invalid_request', FORM, () => repeated(1_000_000, () => '--x\r\n\r\n')],

  ['10,000-deep JSON', 'invalid_request', JSON_TYPE, () => ['{"files":', '['.repeat(10_000), ']'.repeat(10_000), '}']],
  [
    '10,000-deep objects',
    'invalid_request',
    JSON_TYPE,
    () => ['{"files":', '{"files":'.repeat(10_000), '1', '}'.repeat(10_001)],
  ],
  [
    'a million tiny entries',
    'too_many_files',
    JSON_TYPE,
    () => repeated(1_000_000, (n) => `{"path":"${n}","content":""},`, '{"files":[', ']}'),
  ],
  [
    'a million entries without fields',
    'invalid_request',
    JSON_TYPE,
    () => repeated(1_000_000, () => '{},', '{"files":[', ']}'),
  ],
  [
    'a string of 49 MB',
    'too_large',
    JSON_TYPE,
    () => repeated(49_000, () => 'x'.repeat(1000), '{"files":[{"path":"a","content":"', '"}]}'),
  ],
  [
    'an escaped string of 49 MB',
    'too_large',
    JSON_TYPE,
    () => repeated(49_000, () => '\\n'.repeat(500), '{"files":[{"content":"', '","path":"a"}]}'),
  ],
  [
    'a path of 40 MB',
    'invalid_request',
    JSON_TYPE,
    () => repeated(40_000, () => 'x'.repeat(1000), '{"files":[{"path":"', '"}]}'),
  ],
  ['a key of 40 MB', 'invalid_request', JSON_TYPE, () => repeated(40_000, () => 'x'.repeat(1000), '{"', '":1}')],
  ['40 MB of blanks', 'invalid_request', JSON_TYPE, () => repeated(40_000, () => ' '.repeat(1000))],
  ['JSON over its limit', 'too_large', JSON_TYPE, () => repeated(60_000, () => ' '.repeat(1000), '{"files":[', ']}')],
  ['duplicate keys', 'invalid_request', JSON_TYPE, () => ['{"files":[{"path":"a","path":"b","content":""}]}']],
  ['a __proto__ field', 'invalid_request', JSON_TYPE, () => ['{"__proto__":{"files":[]},"files":[]}']],
  [
    'a __proto__ field in an entry',
    'invalid_request',
    JSON_TYPE,
    () => ['{"files":[{"path":"a","content":"","__proto__":{"x":1}}]}'],
  ],
  [
    'JSON that is not UTF-8',
    'invalid_request',
    JSON_TYPE,
    () => ['{"files":[{"path":"a","content":"', Buffer.from([0xc3, 0x28]), '"}]}'],
  ],
  ...wrongTypes,

  ['a page over its limit', 'too_large', 'text/html', () => repeated(60_000, () => 'x'.repeat(1000))],
];

describe('Malicious request bodies', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let before: number;
  let most = 0;

  const memory = async () => {
    const status = await readFile(`/proc/${stele.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  };
  const measured = async () => {
    most = Math.max(most, await memory());
  };

  /** Sends no faster than the service reads. Accepts a response that arrives before the whole body has been sent. */
  async function send(type: string, body: Body, headers: Record<string, string> = {}) {
    const request = httpRequest(`${stele.base}/v1/deploy`, {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
    });
    const answered = once(request, 'response');
    answered.catch(() => undefined);
    let response: Awaited<typeof answered> | undefined;
    void answered.then(
      (heard) => (response = heard),
      () => undefined,
    );
    request.on('error', () => undefined);
    for (const piece of body) {
      if (response || request.destroyed) break;
      if (piece.length > 0 && !request.write(piece))
        await Promise.race([once(request, 'drain'), answered]).catch(() => undefined);
      await measured();
    }
    if (!response) request.end();
    const [{ statusCode }] = await answered;
    const pieces: Buffer[] = [];
    for await (const piece of (await answered)[0]) pieces.push(piece);
    await measured();
    request.destroy();
    return { status: statusCode as number, body: JSON.parse(Buffer.concat(pieces).toString()) };
  }

  const well = () => send('text/html', [`<p>well, ${randomBytes(8).toString('hex')}</p>`]);

  /** Returns the upload files that the process has open, including unlinked ones. */
  const openFiles = async () => {
    const folder = `/proc/${stele.child.pid}/fd`;
    const names = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
    return names.filter((name) => name.includes('incoming-'));
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('hostile');
    await mkdir(join(temporary.folder, 'tmp'));
    stele = await startStele({
      folder: join(temporary.folder, 'data'),
      env: { TMPDIR: join(temporary.folder, 'tmp'), STELE_MAX_FILE_BYTES: `${20 * MEBIBYTE}` },
    });
    for (let n = 0; n < 20; n++) expect(await well()).toMatchObject({ status: 200 });
    before = await memory();
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it.each(hostile)(
    'a malicious body, %s, is refused without affecting other clients (%s)',
    async (_, codes, type, body) => {
      const { status, body: problem } = await send(type, body());
      expect(codes.split(' ')).toContain(problem.code);
      expect(status).toBe(problem.status);
      expect(status >= 400 && status < 500).toBe(true);
      expect(await well()).toMatchObject({ status: 200 });
    },
  );

  it.each([FORM, JSON_TYPE, ZIP, GZIP, 'text/html'])(
    'a request body with a Content-Encoding is not decompressed: %s',
    async (type) => {
      const bomb = gzipSync(Buffer.alloc(50 * MEBIBYTE));
      const { body } = await send(type, [bomb], { 'content-encoding': 'gzip' });
      expect(body).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it.each([
    ['a form', FORM, [`--x\r\n${disposition('a')}\r\n`]],
    ['JSON', JSON_TYPE, ['{"files":[{"path":"a","content":"']],
    ['a zip', ZIP, ['PK\x03\x04']],
    ['a page', 'text/html', ['<p>']],
  ])('a request body that ends in the middle of %s leaves nothing behind', async (_, type, start) => {
    const packs = () => countBytes(join(temporary.folder, 'data', 'packs'));
    await well();
    const began = await packs();
    const requests: ClientRequest[] = [];
    for (let n = 0; n < 4; n++) {
      const request = httpRequest(`${stele.base}/v1/deploy`, { method: 'POST', headers: { 'content-type': type } });
      request.on('error', () => undefined);
      for (const piece of start) request.write(piece);
      for (let sent = 0; sent < 3; sent++)
        if (!request.write(Buffer.alloc(MEBIBYTE, 'x'))) await once(request, 'drain');
      requests.push(request);
    }
    for (const request of requests) request.destroy();
    await eventually(async () => (await openFiles()).length === 0);
    expect(await well()).toMatchObject({ status: 200 });
    await eventually(async () => (await packs()) <= began + 100_000);
  });

  it('eight concurrent request bodies of the maximum size are accepted', async () => {
    const large = (n: number) =>
      repeated(15_000, () => `${n}`.repeat(1000), '{"files":[{"content":"', '","path":"a"}]}');
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => send(JSON_TYPE, large(n))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('malicious bodies do not significantly increase the service’s memory usage', async () => {
    expect(most - before).toBeLessThan(GROWTH);
  });

  it('malicious bodies write nothing outside the data folder and leave no file open', async () => {
    expect(await readdir(temporary.folder)).toEqual(['data', 'tmp']);
    expect(await readdir(join(temporary.folder, 'tmp'))).toEqual([]);
    expect(await readdir(join(temporary.folder, 'data', 'incoming'))).toEqual([]);
    expect(await openFiles()).toEqual([]);
  });
});

async function eventually(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 20));
}
