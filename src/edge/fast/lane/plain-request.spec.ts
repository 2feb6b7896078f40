import { describe, expect, it } from '@jest/globals';
import { headersByName, plainRequest } from './plain-request.js';

const read = (text: string) => plainRequest(Buffer.from(text, 'latin1'));
const GET = 'GET / HTTP/1.1\r\n';
const HOST = 'Host: a.example\r\n';

describe('A request that is simple enough for the fast path', () => {
  it('a request keeps its header fields as they were sent, without surrounding white space', () => {
    expect(read('GET /a/b?c=%20d HTTP/1.1\r\nHOST:a.example\r\nX-y: \t b c \t\r\nEmpty:\r\nEmpty:  \r\n\r\n')).toEqual({
      method: 'GET',
      url: '/a/b?c=%20d',
      bytes: 76,
      rawHeaders: ['HOST', 'a.example', 'X-y', 'b c', 'Empty', '', 'Empty', ''],
      keepAlive: true,
    });
  });

  it('a request can use the method HEAD', () => expect(read(`HEAD / HTTP/1.1\r\n${HOST}\r\n`)?.method).toBe('HEAD'));

  it.each([
    ['close', false],
    ['Close', false],
    ['keep-alive', true],
    ['Keep-Alive', true],
  ])('a request with “Connection: %s” says whether another request may follow', (value, keepAlive) =>
    expect(read(`${GET}${HOST}Connection: ${value}\r\n\r\n`)).toMatchObject({ keepAlive }),
  );

  it('header fields keep bytes above 127, including those that some encodings treat as white space', () =>
    expect(read(`${GET}${HOST}x: \xa0\xe9\xa0\r\n\r\n`)?.rawHeaders.at(-1)).toBe('\xa0\xe9\xa0'));
});

describe('Requests that the fast path leaves to Node’s parser', () => {
  it.each([
    ['no bytes', ''],
    ['an incomplete head', `${GET}${HOST}`],
    ['only half of the line breaks that end its head', `${GET}${HOST}\r`],
    ['a second request after it', `${GET}${HOST}\r\n${GET}${HOST}\r\n`],
    ['bytes after it', `${GET}${HOST}\r\nx`],
    ['an empty line before it', `\r\n${GET}${HOST}\r\n`],
    ['a body', `${GET}${HOST}Content-Length: 1\r\n\r\nx`],
    ['a Content-Length of 0', `${GET}${HOST}content-length: 0\r\n\r\n`],
    ['a chunked body', `${GET}${HOST}Transfer-Encoding: chunked\r\n\r\n`],
    ['an Expect field', `${GET}${HOST}Expect: 100-continue\r\n\r\n`],
    ['an Upgrade field', `${GET}${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['an Upgrade field without the Connection option', `${GET}${HOST}upgrade: h2c\r\n\r\n`],
    ['several Connection options', `${GET}${HOST}Connection: close, keep-alive\r\n\r\n`],
    ['no Host field', `${GET}x: y\r\n\r\n`],
    ['no fields', `${GET}\r\n`],
    ['two Host fields', `${GET}${HOST}${HOST}\r\n`],
    ['two Host fields that differ in case', `${GET}${HOST}hOsT: b.example\r\n\r\n`],
    ['another method', `POST / HTTP/1.1\r\n${HOST}\r\n`],
    ['a lower-case method', `get / HTTP/1.1\r\n${HOST}\r\n`],
    ['the version HTTP/1.0', `GET / HTTP/1.0\r\n${HOST}\r\n`],
    ['the version HTTP/1.10', `GET / HTTP/1.10\r\n${HOST}\r\n`],
    ['an absolute URL as its target', `GET http://a.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ['two spaces after the method', `GET  / HTTP/1.1\r\n${HOST}\r\n`],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
    ['a byte above 127 in the path', `GET /\xe9 HTTP/1.1\r\n${HOST}\r\n`],
    ['a NUL in the path', `GET /\0 HTTP/1.1\r\n${HOST}\r\n`],
    ['a request line that ends with LF only', `GET / HTTP/1.1\n${HOST}\r\n`],
    ['a field that ends with LF only', `${GET}Host: a.example\n\r\n`],
    ['a head that ends with LF only', `${GET}${HOST}\n`],
    ['a CR in a field', `${GET}${HOST}x: a\rb\r\n\r\n`],
    ['a NUL in a field', `${GET}${HOST}x: a\0b\r\n\r\n`],
    ['a DEL in a field', `${GET}${HOST}x: a\x7fb\r\n\r\n`],
    ['a folded field', `${GET}${HOST}x: a\r\n b\r\n\r\n`],
    ['a space before a colon', `${GET}Host : a.example\r\n\r\n`],
    ['a space before a field name', `${GET} Host: a.example\r\n\r\n`],
    ['a field without a name', `${GET}${HOST}: x\r\n\r\n`],
    ['a line without a colon', `${GET}${HOST}x\r\n\r\n`],
    ['a long head', `${GET}${HOST}x: ${'a'.repeat(8_192)}\r\n\r\n`],
  ])('a request is left to Node’s parser if it has %s', (_, text) => expect(read(text)).toBeNull());

  // A backtracking regular expression would exceed the test's time limit here.
  it.each(['a', 'a:', 'a:b\r', 'a: \r\n', '\t', '\r\n', 'GET / HTTP/1.1\r\n'])(
    'a head that repeats %j many times is quickly left to Node’s parser',
    (piece) => {
      for (let n = 0; n < 100; n++) expect(read(`${GET}${piece.repeat(8_000)}`.slice(0, 8_190))).toBeNull();
    },
  );
});

describe('Headers indexed by name', () => {
  it('headers are indexed by their names in lower case', () =>
    expect(headersByName(['A', '1', 'b', '2'])).toEqual({ a: '1', b: '2' }));

  it.each([[['a', '1', 'A', '2']], [['constructor', '1', 'CONSTRUCTOR', '2']], [['__proto__', '1']]])(
    'headers are left to Node’s parser if a name occurs twice or is unsafe as an object key: %j',
    (raw) => expect(headersByName(raw)).toBeNull(),
  );
});
