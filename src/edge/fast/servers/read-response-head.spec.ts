import { describe, expect, it } from '@jest/globals';
import { MalformedResponseError } from '../../http/proxy/response-head.js';
import { readResponseHead } from './read-response-head.js';

const head = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

describe('The head of a server’s response', () => {
  it.each([
    ['a length', head('Content-Length: 12'), { framing: { kind: 'length', length: 12 }, length: 12, keepAlive: true }],
    [
      'a chunked body',
      head('transfer-encoding: Chunked'),
      { framing: { kind: 'chunked' }, length: null, keepAlive: true },
    ],
    ['neither a length nor chunks', head('a: b'), { framing: { kind: 'until closed' }, keepAlive: false }],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', { framing: { kind: 'none' }, keepAlive: true }],
    [
      'a length with status 304',
      'HTTP/1.1 304 x\r\ncontent-length: 9\r\n\r\n',
      { framing: { kind: 'none' }, length: 9 },
    ],
    ['no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', { status: 200 }],
    ['an unknown status', 'HTTP/1.1 599 Odd\r\ncontent-length: 0\r\n\r\n', { status: 599 }],
    ['“Connection: close”', head('connection: close', 'content-length: 1'), { keepAlive: false }],
    ['the version HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n', { keepAlive: false }],
    ['a keep-alive timeout', head('keep-alive: timeout=5, max=9', 'content-length: 0'), { keepAliveMs: 5_000 }],
    ['spaces and tabs around a value', head('a: \t b c \t', 'content-length: 0'), { fields: ['a', 'b c'] }],
    [
      'hop-by-hop fields, which are removed',
      head('connection: x-own, upgrade', 'X-Own: 1', 'trailer: a', 'b: 2'),
      { fields: ['b', '2'] },
    ],
  ])('a response head may have %s', (_, text, expected) =>
    expect(readResponseHead(text, false)).toMatchObject(expected),
  );

  it('the head of a response to HEAD contains the length of the omitted body', () =>
    expect(readResponseHead(head('content-length: 12'), true)).toMatchObject({
      framing: { kind: 'none' },
      length: 12,
    }));

  it.each([
    ['garbage', 'what?\r\n\r\n'],
    ['another protocol', 'HTTP/2 200 OK\r\n\r\n'],
    ['an empty line before it', `\r\n${head()}`],
    ['lines that end with LF only', 'HTTP/1.1 200 OK\ncontent-length: 1\r\n\r\n'],
    ['a line feed in a value', head('a: b\nset-cookie: c')],
    ['a carriage return in a value', head('a: b\rc')],
    ['a folded line', head('a: b', ' c: d')],
    ['a space before a colon', head('content-length : 1')],
    ['a NUL character', head('a: \0')],
    ['a line without a colon', head('nothing')],
    ['a length and a chunked body', head('content-length: 1', 'transfer-encoding: chunked')],
    ['two lengths', head('content-length: 1', 'content-length: 2')],
    ['the same length twice', head('content-length: 1', 'content-length: 1')],
    ['two lengths in one field', head('content-length: 1, 1')],
    ['a length with a sign', head('content-length: +1')],
    ['a length in hexadecimal', head('content-length: 0x10')],
    ['a length that is too large', head(`content-length: ${'9'.repeat(30)}`)],
    ['another transfer coding', head('transfer-encoding: gzip, chunked')],
    ['two chunked codings', head('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['a chunked body in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status above 599', 'HTTP/1.1 999 OK\r\n\r\n'],
  ])('a response head is refused if it has %s', (_, text) =>
    expect(() => readResponseHead(text, false)).toThrow(MalformedResponseError),
  );
});
