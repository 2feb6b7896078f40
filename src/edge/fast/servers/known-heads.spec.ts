import { describe, expect, it } from '@jest/globals';
import { MalformedResponseError } from '../../http/proxy/response-head.js';
import { KnownHeads } from './known-heads.js';
import { readResponseHead } from './read-response-head.js';

const head = (...fields: string[]) => `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

describe('The cache of parsed response heads', () => {
  it('parses each head only once', () => {
    const heads = new KnownHeads();
    const text = head('content-length: 5', 'etag: "a"');
    const first = heads.read(text, false);
    expect(first).toEqual(readResponseHead(text, false));
    expect(heads.read(String(Buffer.from(text)), false)).toBe(first);
    expect(heads.read(head('content-length: 6', 'etag: "a"'), false).length).toBe(6);
  });

  it('parses a head again if it is the response to a HEAD request', () => {
    const heads = new KnownHeads();
    const text = head('content-length: 5');
    expect([heads.read(text, false), heads.read(text, true)]).toMatchObject([
      { framing: { kind: 'length' } },
      { framing: { kind: 'none' } },
    ]);
  });

  it.each([
    ['that set a cookie', 'Set-Cookie: a=b'],
    ['that are long', `x: ${'x'.repeat(3_000)}`],
  ])('does not store heads %s', (_, field) => {
    const heads = new KnownHeads();
    expect(heads.read(head(field), false)).not.toBe(heads.read(head(field), false));
  });

  it('does not store malformed heads, which are refused each time', () => {
    const heads = new KnownHeads();
    for (const _ of [1, 2]) expect(() => heads.read(head('a b'), false)).toThrow(MalformedResponseError);
  });

  it('the cache is cleared when it contains too many heads', () => {
    const heads = new KnownHeads();
    const first = heads.read(head('n: 0'), false);
    for (let n = 1; n <= 512; n++) heads.read(head(`n: ${n}`), false);
    expect(heads.read(head('n: 0'), false)).not.toBe(first);
  });
});
