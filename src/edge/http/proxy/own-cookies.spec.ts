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
  ])('the service’s own cookies are removed from the Cookie header %j', (sent, left) =>
    expect(withoutOwnCookies(sent)).toBe(left),
  );

  it.each(['a=1', 'a=1; Path=/; HttpOnly', '__Host-a=1; Secure; Path=/', 'a=', 'a=stele_session=1', 'a=1; x=domain'])(
    'a site’s server can set the cookie %j',
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
  ])('a site’s server cannot set the cookie %j', (value) => expect(canSetCookie(value)).toBe(false));
});
