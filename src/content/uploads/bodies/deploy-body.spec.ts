import { describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../../../test/support/content/archives.js';
import { inPieces, requestOf } from '../../../../test/support/content/incoming-requests.js';
import { allOf, refusalOf } from '../../../../test/support/content/upload-bodies.js';
import { deployBody } from './deploy-body.js';

const limits = { files: 10, fileBytes: 1e6, deployBytes: 1e6, bodyBytes: 1e6 };
const read = (type: string, body: Buffer, piece = 65_536) =>
  deployBody(
    requestOf({ 'content-type': type, 'content-length': `${body.length}` }, inPieces(body, piece)),
    limits,
    '',
  );

describe('A page with a charset', () => {
  it.each([
    ['iso-8859-1', Buffer.from('<p>\xe4', 'latin1'), '<p>ä'],
    ['"Shift_JIS"', Buffer.from('\x93\xfa\x96\x7b', 'latin1'), '日本'],
    ['utf-16le', Buffer.from('<p>ä', 'utf16le'), '<p>ä'],
    ['UTF-8', Buffer.from('<p>ä'), '<p>ä'],
  ])('a page is converted from %s to UTF-8', async (charset, bytes, text) => {
    for (const piece of [1, 65_536]) {
      const [page] = await allOf(read(`text/html; charset=${charset}`, bytes, piece));
      expect(Buffer.from(String(page?.content), 'latin1').toString()).toBe(text);
    }
  });

  it('a page with an unknown charset is refused', async () => {
    expect(await refusalOf(() => read('text/html; charset=klingon', Buffer.from('x')))).toMatchObject({
      code: 'unsupported_media_type',
      detail: 'The Content-Type has an unknown charset, “klingon”.',
    });
  });
});

describe('A body whose Content-Type is wrong', () => {
  it.each([
    ['a zip', zipOf([{ path: 'a' }]), 'is a zip archive', 'Content-Type: application/zip'],
    ['a tar.gz', tarGzOf([{ path: 'a' }]), 'is compressed with gzip', 'Content-Type: application/gzip'],
  ])('a body sent as HTML that is really %s is refused with a suggestion', async (_, body, what, suggestion) => {
    for (const piece of [1, 65_536])
      expect(await refusalOf(() => read('text/html', body, piece))).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining(what),
        more: { suggestion: expect.stringContaining(suggestion) },
      });
  });

  it.each(['x', 'PK', '<h1>', ''.padEnd(300, 'x')])('a page that consists of %j is accepted', async (content) => {
    for (const piece of [1, 65_536])
      expect(await allOf(read('text/html', Buffer.from(content), piece))).toMatchObject([{ content }]);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'application/zip'],
    ['application/octet-stream', 'application/zip'],
    ['application/x-tar', 'tar -czf'],
    ['application/x-7z-compressed', 'a zip or tar.gz'],
    ['multipart/mixed; boundary=x', 'multipart/form-data'],
  ])('the Content-Type %s is refused, and the suggestion says what to send instead', async (type, suggestion) => {
    expect(await refusalOf(() => read(type, Buffer.from('x')))).toMatchObject({
      code: 'unsupported_media_type',
      more: { suggestion: expect.stringContaining(suggestion) },
    });
  });
});
