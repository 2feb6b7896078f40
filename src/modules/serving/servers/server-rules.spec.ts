import { describe, expect, it } from '@jest/globals';
import { buildVisitorFields, isHtmlResponse } from './server-rules.js';

const added = ['x-content-type-options', 'nosniff'];
const shown = (sent: string[], isPrivate = false) => buildVisitorFields(sent, { added, isPrivate });

describe('Headers of a server’s response', () => {
  it('a response includes the server’s own headers alongside those of the service', () =>
    expect(shown(['Content-Type', 'text/html', 'ETag', '"a"', 'Location', '/b', 'X-Powered-By', 'x'])).toEqual([
      ...['Content-Type', 'text/html', 'ETag', '"a"', 'Location', '/b', 'X-Powered-By', 'x'],
      ...added,
    ]));

  it.each([
    'Service-Worker-Allowed',
    'Clear-Site-Data',
    'Origin-Agent-Cluster',
    'X-Content-Type-Options',
    'Alt-Svc',
    'Set-Cookie2',
    'X-Accel-Redirect',
    'X-Sendfile',
    'X-Request-Id',
    'Date',
  ])('a server’s response can’t include %s', (name) => expect(shown([name, 'x'])).toEqual(added));

  it('a server can set cookies only for its own host', () =>
    expect(shown(['Set-Cookie', 'a=1', 'set-cookie', 'b=1; Domain=x', 'set-cookie', 'stele_visitor=1'])).toEqual([
      ...['Set-Cookie', 'a=1'],
      ...added,
    ]));

  it('a server’s headers can’t expose a private response to others', () =>
    expect(
      shown(
        [
          ...['Cache-Control', 'public, max-age=9', 'Expires', 'x', 'CDN-Cache-Control', 'x', 'Surrogate-Control', 'x'],
          ...['Access-Control-Allow-Origin', '*', 'Cross-Origin-Resource-Policy', 'cross-origin', 'vary', 'accept'],
        ],
        true,
      ),
    ).toEqual(['vary', 'accept', ...added, 'cache-control', 'private, no-cache']));

  it('a server can forbid all caching of a private response', () =>
    expect(shown(['cache-control', 'no-store'], true)).toContain('private, no-store'));

  it.each([
    ['text/html', true],
    ['text/html; charset=utf-8', true],
    ['text/htmlx', false],
    ['application/json', false],
  ])('a response of type %s is a page: %p', (type, isHtml) =>
    expect(isHtmlResponse(['content-type', type])).toBe(isHtml),
  );
});
