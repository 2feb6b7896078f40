import { describe, expect, it } from '@jest/globals';
import { isOwnPage } from './return-to.js';

describe('After signing in, a visitor', () => {
  it.each([
    '/',
    '/sites',
    '/sites/amber-otter-4821',
    '/claim/amber-otter-4821',
    '/visit?host=amber.localhost%3A3000&path=%2Fa%2Fb',
    '/v1/auth/cli?challenge=abc&state=x&redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2F',
  ])('is sent to %s', (text) => expect(isOwnPage(text)).toBe(true));

  it.each([
    ['an address', 'https://evil.example/'],
    ['another host', '//evil.example'],
    ['another host behind three slashes', '///evil.example'],
    ['what browsers take for two slashes', '/\\evil.example'],
    ['what browsers take for two slashes, at the beginning', '\\\\evil.example'],
    ['a slash of another kind', '/\u2215evil.example'],
    ['a scheme', 'javascript:alert(1)'],
    ['a scheme with slashes of its own', 'https:/evil.example'],
    ['a name before an at', '@evil.example'],
    ['a name and a path', 'evil.example/sites'],
    ['somebody at another host', '//us@evil.example/'],
    ['escaped slashes', '/%2f%2fevil.example'],
    ['an escaped backslash', '/%5cevil.example'],
    ['slashes after the path', '/sites//evil.example'],
    ['a way up', '/sites/../s/evil/'],
    ['an escaped way up', '/sites/%2e%2e/s/evil/'],
    ['a tab that browsers leave out', '/\t/evil.example'],
    ['a line that begins a header', '/sites\r\nset-cookie: a=b'],
    ['a blank at the beginning', ' //evil.example'],
    ['a fragment', '/claim/a#token=x'],
    ['a backslash in the query', '/sites?a=\\\\evil.example'],
    ['somebody’s site', '/s/evil/'],
    ['somebody’s site without its slash', '/s'],
    ['what signs in', '/v1/auth/verify?token=x'],
    ['what begins again', '/v1/auth/idp'],
    ['what is beside the page of the terminal', '/v1/auth/cli/complete'],
    ['nothing', ''],
  ])('is never sent to %s', (_, text) => expect(isOwnPage(text)).toBe(false));
});
