import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { inPieces, requestOf } from '../../../../../test/support/content/incoming-requests.js';
import { allOf, refusalOf } from '../../../../../test/support/content/upload-bodies.js';
import { multipartBody } from './multipart-body.js';

const limits = { files: 10_000, fileBytes: 1e8, deployBytes: 1e8, bodyBytes: 1e8 };
const disposition = (filename: string) => `content-disposition: form-data; name="files"; filename="${filename}"\r\n`;
const part = (filename: string, content: string) => `--x\r\n${disposition(filename)}\r\n${content}\r\n`;

const read = (body: string | Buffer, piece = 65_536, type = 'multipart/form-data; boundary=x') =>
  multipartBody(requestOf({ 'content-type': type }, inPieces(Buffer.from(body as string, 'latin1'), piece)), limits);
const refused = (...given: Parameters<typeof read>) => refusalOf(() => read(...given));

describe('A multipart body', () => {
  const contents = [
    '',
    'one',
    '\r\n',
    '--x',
    '\r\n--',
    '\r\n--y',
    '\r',
    '\r\n-\r\n--\r\n',
    'a\r\n\r\nb',
    '\r\n\r\n--yx',
  ];

  it('files are found regardless of how the body is split into chunks', async () => {
    const body = `${contents.map((content, n) => part(`${n}.txt`, content)).join('')}--x--\r\n`;
    const expected = contents.map((content, n) => ({ path: `${n}.txt`, field: `files[${n}]`, content }));
    for (const size of [1, 2, 3, 5, 7, 11, 64, 500, 65_536]) expect(await allOf(read(body, size))).toEqual(expected);
  });

  it('an empty file field is skipped', async () => {
    const empty =
      '--x\r\ncontent-disposition: form-data; name="logo"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n\r\n';
    for (const size of [1, 7, 65_536])
      expect(await allOf(read(`${empty}${part('', '')}${part('a.txt', 'one')}${empty}--x--\r\n`, size))).toEqual([
        { path: 'a.txt', field: 'files[0]', content: 'one' },
      ]);
    expect(await refused(`${empty}--x--\r\n`)).toMatchObject({ code: 'no_files' });
    expect(await refused(`${part('', 'content')}--x--\r\n`)).toMatchObject({ code: 'invalid_path' });
  });

  it('file manager metadata is left out', async () => {
    const body = `${part('my-site/.DS_Store', 'x')}${part('my-site/index.html', 'one')}${part('Thumbs.db', '')}--x--\r\n`;
    for (const size of [1, 65_536])
      expect(await allOf(read(body, size))).toEqual([
        { path: 'my-site/.DS_Store', field: 'files[0]', leftOut: expect.any(String) },
        { path: 'my-site/index.html', field: 'files[1]', content: 'one' },
        { path: 'Thumbs.db', field: 'files[2]', leftOut: expect.any(String) },
      ]);
  });

  it('a body can contain a large file with arbitrary bytes', async () => {
    const film = randomBytes(300_000).toString('latin1');
    const [one, two] = await allOf(read(`${part('film', film)}${part('b', 'after')}--x--`, 4096));
    expect(one?.content === film).toBe(true);
    expect(two).toEqual({ path: 'b', field: 'files[1]', content: 'after' });
  });

  it.each([
    ['a preamble', `what is this\r\n${part('a', '1')}--x--\r\n`],
    ['blanks after its boundaries', `--x  \r\n${disposition('a')}\r\n1\r\n--x-- \r\n\r\n`],
    ['no line break at its end', `${part('a', '1')}--x--`],
  ])('a body is accepted if it has %s', async (_, body) => {
    for (const size of [1, 65_536])
      expect(await allOf(read(body, size))).toEqual([{ path: 'a', field: 'files[0]', content: '1' }]);
  });

  it('the boundary can be quoted', async () => {
    const body = `--a b\r\n${disposition('a')}\r\n1\r\n--a b--\r\n`;
    expect(await allOf(read(body, 9, 'multipart/form-data; charset=utf-8; boundary="a b"'))).toHaveLength(1);
  });

  it.each([
    ['no content', ''],
    ['no boundary', 'hello'],
    ['an endless preamble', 'x'.repeat(100_000)],
    ['no final boundary', part('a', '1')],
    ['an incomplete part', `--x\r\n${disposition('a')}\r\nhal`],
    ['incomplete headers', `--x\r\n${disposition('a')}`],
    ['an incomplete boundary', `${part('a', '1')}--x-`],
    ['a part without headers', '--x\r\n\r\nhello\r\n--x--\r\n'],
    ['a part without a disposition', `${part('a', '1')}--x\r\ncontent-type: text/plain\r\n\r\nhello\r\n--x--\r\n`],
    ['a part whose headers end in a boundary', `--x\r\n${disposition('a')}--x--\r\n`],
    ['a line that begins with the boundary', `${part('a', '1\r\n--xy')}--x--\r\n`],
    ['a part after the final boundary', `${part('a', '1')}--x--\r\n${part('b', '2')}--x--\r\n`],
    ['endless blanks after the final boundary', `${part('a', '1')}--x--${' '.repeat(100_000)}`],
    ['ten thousand headers in a part', `--x\r\n${'a: b\r\n'.repeat(10_000)}${disposition('a')}\r\n1\r\n--x--\r\n`],
    ['an endless header', `--x\r\na: ${'b'.repeat(1_000_000)}\r\n${disposition('a')}\r\n1\r\n--x--\r\n`],
    ['LF instead of CRLF line breaks', part('a', '1').replaceAll('\r\n', '\n')],
    ['a part with another name', `--x\r\n${disposition('a').replace('files', 'file')}\r\n1\r\n--x--\r\n`],
    ['a part without a name', '--x\r\ncontent-disposition: form-data\r\n\r\n1\r\n--x--\r\n'],
  ])('a body with %s is refused', async (_, body) => {
    for (const size of [3, 65_536]) expect(await refused(body, size)).toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'multipart/form-data; boundary="a\u0000b"',
  ])('a body without a valid boundary is refused: %s', async (type) => {
    expect(await refused(`${part('a', '1')}--x--`, 99, type)).toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    [
      'no boundary',
      part('a', '1'),
      'multipart/form-data',
      'the Content-Type has no boundary',
      'Do not set Content-Type yourself',
    ],
    [
      'Unix line breaks',
      `${part('a', '1')}--x--\r\n`.replaceAll('\r\n', '\n'),
      undefined,
      'its lines must end in CRLF',
      undefined,
    ],
    [
      'a name with brackets',
      `--x\r\n${disposition('a').replace('files', 'files[]')}\r\n1\r\n--x--\r\n`,
      undefined,
      '“files[]”',
      'form.append("files", file, "assets/app.js")',
    ],
  ])('rejects a form with %s, with a suggestion', async (_, body, type, detail, suggestion) => {
    expect(await refused(body, 65_536, type)).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining(detail),
      ...(suggestion && { more: { suggestion: expect.stringContaining(suggestion) } }),
    });
  });

  it('warns about a file with the default name of JavaScript blobs, “blob”', async () => {
    const warnings: unknown[] = [];
    for await (const one of read(`${part('blob', '1')}${part('index.html', '1')}--x--\r\n`))
      warnings.push('warning' in one ? one.warning : undefined);
    expect(warnings).toEqual([expect.stringContaining('form.append("files", blob, "index.html")'), undefined]);
  });

  it('a body is refused if it has no parts, or a part without a filename', async () => {
    const form = '--x\r\ncontent-disposition: form-data; name="files"\r\n\r\n1\r\n--x--\r\n';
    expect(await refused(form)).toMatchObject({ code: 'invalid_path', faults: [{ path: 'files[0]' }] });
    expect(await refused('--x--\r\n')).toMatchObject({ code: 'no_files' });
  });
});
