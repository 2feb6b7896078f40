import { describe, expect, it } from '@jest/globals';
import { canSetCookie, withoutOwnCookies } from './own-cookies.js';

describe("The service's own cookies", () => {
  it.each([
    ['theme=dark', 'theme=dark'],
    ['theme=dark; stele_visitor=a; b=2', 'theme=dark; b=2'],
    ['__Host-stele_session=a', ''],
    ['__Secure-STELE_x=a;a=b', 'a=b'],
    ['stele_session', ''],
    ['\tstele_session=1', ''],
    ['not_stele_=1', 'not_stele_=1'],
    ['a="x; stele_session=y"', 'a="x'],
    ['', ''],
  ])('are removed from the cookie field %j', (sent, left) => expect(withoutOwnCookies(sent)).toBe(left));

  it.each(['a=1', 'a=1; Path=/; HttpOnly', '__Host-a=1; Secure; Path=/', 'a=', 'a=stele_session=1', 'a=1; x=domain'])(
    'do not prevent a server from setting the cookie %j',
    (value) => expect(canSetCookie(value)).toBe(true),
  );

  it.each([
    'stele_visitor=1',
    ' stele_visitor =1',
    'Stele_x=1',
    '__Host-stele_session=1; Secure; Path=/',
    'a=1; Domain=example.org',
    'a=1;domain',
    'a=1; \tDOMAIN\t =',
    '=stele_visitor=1',
    'stele_visitor',
    'a',
    '',
  ])('are protected from a server that tries to set %j', (value) => expect(canSetCookie(value)).toBe(false));
});
