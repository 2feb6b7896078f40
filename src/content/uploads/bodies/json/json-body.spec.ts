import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { inPieces, requestOf } from '../../../../../test/support/content/incoming-requests.js';
import { allOf, refusalOf } from '../../../../../test/support/content/upload-bodies.js';
import { jsonBody } from './json-body.js';

const limits = { fileBytes: 1e9, deployBytes: 1e9, files: 100, bodyBytes: 1e8 };
const read = (body: string | Buffer, piece = 65_536) =>
  jsonBody(requestOf({}, inPieces(Buffer.from(body as string), piece)), limits, tmpdir());
const refused = (...given: Parameters<typeof read>) => refusalOf(() => read(...given));
const entry = (text: string) => `{"files":[${text}]}`;
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('A JSON body', () => {
  const html = '<p class="é">😀\\n</p>\n'.repeat(50);

  it('files are found regardless of the order of JSON members and of how the body is split into chunks', async () => {
    const body = `\ufeff ${JSON.stringify(
      {
        files: [
          { path: 'index.html', content: html },
          { encoding: 'base64', content: Buffer.from(html).toString('base64').replace(/.{76}/g, '$&\r\n'), path: 'b' },
          { content: Buffer.from([0, 255, 10]).toString('base64'), path: 'é', encoding: 'base64' },
          { path: 'empty', content: '' },
          { path: 'owned', sha256: 'ab'.repeat(32) },
          { path: 'gone', delete: true },
        ],
      },
      null,
      3,
    )}\n`;
    for (const size of [1, 2, 3, 5, 7, 64, 65_536])
      expect(await allOf(read(body, size))).toEqual([
        { path: 'index.html', field: 'files[0]', content: latin1(html) },
        { path: 'b', field: 'files[1]', content: latin1(html) },
        { path: 'é', field: 'files[2]', content: '\0\xff\n' },
        { path: 'empty', field: 'files[3]', content: '' },
        { path: 'owned', field: 'files[4]', sha256: 'ab'.repeat(32) },
        { path: 'gone', field: 'files[5]', delete: true },
      ]);
  });

  it.each(['utf-8', 'base64'] as const)('%s content can be larger than memory', async (encoding) => {
    const contents = ['x'.repeat(1_000_003), 'y', 'z\n'.repeat(400_001)];
    const files = contents.map((content, n) => ({
      path: `${n}`,
      content: Buffer.from(content).toString(encoding),
      encoding,
    }));
    const all = await allOf(read(JSON.stringify({ files })));
    expect(all.map(({ content }, n) => content === contents[n])).toEqual([true, true, true]);
  });

  it.each([
    ['', ''],
    ['{', ''],
    ['{"files":', ''],
    ['{"files":[{"path":"a","content":"x', ''],
    ['{"files":[{"path":"a","content":"x"}]} x', ''],
    ['{"files":[{"path":"a","content":"x"},]}', 'files[1]'],
    ["{'files':[]}", ''],
    ['[]', ''],
    ['null', ''],
    ['"files"', ''],
    ['7', ''],
    ['{"files":{}}', 'files'],
    ['{"files":null}', 'files'],
    ['{"files":"a"}', 'files'],
    ['{"files":[],"x":1}', 'x'],
    ['{"files":[],"files":[]}', 'files'],
    ['{"__proto__":{}}', '__proto__'],
    [entry('1'), 'files[0]'],
    [entry('[]'), 'files[0]'],
    [entry('null'), 'files[0]'],
    [entry('{"path":1,"content":""}'), 'files[0].path'],
    [entry('{"path":["a"],"content":""}'), 'files[0].path'],
    [entry('{"path":"a","content":1}'), 'files[0].content'],
    [entry('{"path":"a","content":null}'), 'files[0].content'],
    [entry('{"path":"a","content":{"a":1}}'), 'files[0].content'],
    [entry('{"path":"a","content":"","encoding":true}'), 'files[0].encoding'],
    [entry('{"path":"a","content":"","encoding":"hex"}'), 'files[0].encoding'],
    [entry('{"path":"a","content":"","mode":1}'), 'files[0].mode'],
    [entry('{"path":"a","content":"","__proto__":1}'), 'files[0].__proto__'],
    [entry('{"path":"a","path":"b","content":""}'), 'files[0].path'],
    [entry('{"path":"a","content":"","content":""}'), 'files[0].content'],
    [entry('{"path":"a","content":"a*b=","encoding":"base64"}'), 'files[0].content'],
    [entry('{"path":"a","content":"abc","encoding":"base64"}'), 'files[0].content'],
    [entry('{"path":"a","content":"YQ==YQ==","encoding":"base64"}'), 'files[0].content'],
    [entry('{"path":"a"}'), 'files[0].content'],
    [entry('{"content":""}'), 'files[0].path'],
    [entry('{"path":"a","sha256":"x"}'), 'files[0].sha256'],
    [entry('{"path":"a","sha256":"AB"}'), 'files[0].sha256'],
    [entry(`{"path":"a","sha256":"${'a'.repeat(64)}","content":""}`), 'files[0]'],
    [entry('{"path":"a","delete":false}'), 'files[0].delete'],
    [entry('{"path":"a","delete":1}'), 'files[0].delete'],
    [entry('{"path":"a","delete":true,"content":""}'), 'files[0]'],
    [entry(`{"path":"${'a'.repeat(10_000)}","content":""}`), 'files[0].path'],
    [entry(`{"path":"a","${'b'.repeat(10_000)}":""}`), 'files[0]'],
    [`{"files":${'['.repeat(10_000)}`, 'files[0]'],
    [`{"a":${'{"a":'.repeat(10_000)}`, 'a'],
  ])('an invalid body is refused with the name of the faulty field: %.60s', async (body, path) => {
    for (const size of [1, 65_536])
      expect(await refused(body, size)).toMatchObject({ code: 'invalid_request', faults: [{ path }] });
  });

  it.each(['{}', '{"files":[]}'])('a body without files is refused: %s', async (body) => {
    expect(await refused(body)).toMatchObject({ code: 'no_files' });
  });

  it.each([1, 65_536])('a body that is not UTF-8 is refused', async (size) => {
    for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xc0, 0xaf]]) {
      const [before = '', after = ''] = entry('{"path":"a","content":"|"}').split('|');
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bad), Buffer.from(after)]);
      expect(await refused(body, size)).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('a body that exceeds the size limit is refused', async () => {
    const small = { ...limits, bodyBytes: 20 };
    const body = entry('{"path":"a","content":"x"}');
    const announced = () => jsonBody(requestOf({ 'content-length': '21' }, [body]), small, tmpdir());
    const counted = () => jsonBody(requestOf({}, [body]), small, tmpdir());
    const archive = expect.stringContaining('zip or tar.gz');
    for (const read of [announced, counted])
      expect(await refusalOf(read)).toMatchObject({ code: 'too_large', more: { suggestion: archive } });
    const detail = 'The request body is 21 bytes, but the limit is 20 bytes.';
    expect(await refusalOf(announced)).toMatchObject({ detail });
  });
});
