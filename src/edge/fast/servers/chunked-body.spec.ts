import { describe, expect, it } from '@jest/globals';
import { MalformedResponseError } from '../../http/proxy/response-head.js';
import { ChunkedBody } from './chunked-body.js';

function read(text: string, pieceLength: number) {
  const body = new ChunkedBody();
  let content = '';
  for (let at = 0; at < text.length; at += pieceLength) {
    const piece = Buffer.from(text.slice(at, at + pieceLength), 'latin1');
    const ended = body.read(piece, (data) => {
      content += data.toString('latin1');
    });
    if (ended !== null) return { content, rest: text.slice(at + ended) };
  }
  return { content, rest: null };
}

describe('A chunked body', () => {
  it.each([1, 2, 3, 7, 1_000])('a chunked body can be read in pieces of %i bytes', (length) => {
    const text = '4\r\nWiki\r\n0006;name="a b"\r\npedia \r\nE \t; x\r\nin \r\n\r\nchunks.\r\n0\r\nx-sum: 1\r\n\r\nnext';
    expect(read(text, length)).toEqual({
      content: 'Wikipedia in \r\n\r\nchunks.',
      rest: length === 1_000 ? 'next' : expect.stringMatching(/^n?e?x?t?/),
    });
  });

  it('a chunked body is incomplete until its last chunk has arrived', () =>
    expect(read('2\r\nab\r\n', 3).rest).toBeNull());

  it.each([
    ['has lines that end with LF only', '2\nab\r\n0\r\n\r\n'],
    ['has content that ends with LF only', '2\r\nab\n0\r\n\r\n'],
    ['has more content than its chunk size', '2\r\nabc\r\n0\r\n\r\n'],
    ['has no size', '\r\nab\r\n0\r\n\r\n'],
    ['has a size with a sign', '+2\r\nab\r\n0\r\n\r\n'],
    ['has a size with 0x', '0x2\r\nab\r\n0\r\n\r\n'],
    ['has a space before a size', ' 2\r\nab\r\n0\r\n\r\n'],
    ['has a size that is too large', `${'f'.repeat(9)}\r\nab`],
    ['has a carriage return in its size', '2\r\r\nab\r\n0\r\n\r\n'],
    ['has an extension that never ends', `2;${'x'.repeat(300)}`],
    ['has trailers that never end', `0\r\n${'a: b\r\n'.repeat(5_000)}`],
    ['has a malformed trailer', '0\r\nnothing\r\n\r\n'],
  ])('a chunked body is refused if it %s', (_, text) => {
    expect(() => read(text, 1_000_000)).toThrow(MalformedResponseError);
    expect(() => read(text, 5)).toThrow(MalformedResponseError);
  });
});
