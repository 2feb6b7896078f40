import { describe, expect, it } from '@jest/globals';
import { isOwnPage } from './return-to.js';

describe('The page to which a visitor returns after signing in', () => {
  it.each([
    '/',
    '/sites',
    '/sites/amber-otter-4821',
    '/claim/amber-otter-4821',
    '/visit?host=amber.localhost%3A3000&path=%2Fa%2Fb',
    '/v1/auth/cli?challenge=abc&state=x&redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2F',
  ])('a visitor can be sent back to %s after signing in', (text) => expect(isOwnPage(text)).toBe(true));

  it.each([
    ['an absolute URL', 'https://evil.example/'],
    ['another host', '//evil.example'],
    ['another host after three slashes', '///evil.example'],
    ['a slash and a backslash, which browsers treat as two slashes', '/\\evil.example'],
    ['two backslashes, which browsers treat as two slashes', '\\\\evil.example'],
    ['a path with a Unicode division slash', '/\u2215evil.example'],
    ['a javascript: URL', 'javascript:alert(1)'],
    ['a scheme with a single slash', 'https:/evil.example'],
    ['a host after an @', '@evil.example'],
    ['a host name and a path', 'evil.example/sites'],
    ['another host after a user name', '//us@evil.example/'],
    ['percent-encoded slashes', '/%2f%2fevil.example'],
    ['a percent-encoded backslash', '/%5cevil.example'],
    ['a path that contains two slashes', '/sites//evil.example'],
    ['a path with ..', '/sites/../s/evil/'],
    ['a path with .. in percent-encoding', '/sites/%2e%2e/s/evil/'],
    ['a path with a tab, which browsers remove', '/\t/evil.example'],
    ['a path with a line break', '/sites\r\nset-cookie: a=b'],
    ['a path that begins with a space', ' //evil.example'],
    ['a path with a fragment', '/claim/a#token=x'],
    ['a query with backslashes', '/sites?a=\\\\evil.example'],
    ['a hosted site', '/s/evil/'],
    ['the parent path of hosted sites', '/s'],
    ['a link that signs in', '/v1/auth/verify?token=x'],
    ['a route that starts a sign-in', '/v1/auth/idp'],
    ['a route next to the terminal’s page', '/v1/auth/cli/complete'],
    ['an empty path', ''],
  ])('a visitor is never sent to %s after signing in', (_, text) => expect(isOwnPage(text)).toBe(false));
});
