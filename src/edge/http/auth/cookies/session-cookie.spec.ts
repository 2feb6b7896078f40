import { describe, expect, it } from '@jest/globals';
import { SessionCookie } from './session-cookie.js';

describe('The session cookie', () => {
  it('the session cookie is bound to its host over HTTPS', () =>
    expect(new SessionCookie('https://stele.example')).toEqual({
      name: '__Host-stele_session',
      attributes: 'HttpOnly; SameSite=Lax; Path=/; Secure',
    }));

  it('the session cookie has no prefix over HTTP, because browsers reject __Host- names there', () =>
    expect(new SessionCookie('http://localhost:3000')).toEqual({
      name: 'stele_session',
      attributes: 'HttpOnly; SameSite=Lax; Path=/',
    }));
});

describe.each([
  ['http://localhost:3000', 'stele_session', '__Host-stele_session'],
  ['https://stele.example', '__Host-stele_session', 'stele_session'],
])('If the base URL is %s,', (baseUrl, name, other) => {
  const cookie = new SessionCookie(baseUrl);

  it.each([
    ['without other cookies', `${name}=abc`, 'abc'],
    ['among other cookies', `a=1; ${name}=abc; b=2`, 'abc'],
    ['in a header without spaces', `a=1;${name}=abc;b=2`, 'abc'],
    ['with an equals sign in its value', `${name}=a=b`, 'a=b'],
    ['without a value', `${name}=`, ''],
  ])('the session token can be read from a cookie %s', (_, header, value) => {
    expect(cookie.read(header)).toBe(value);
    expect(cookie.isIn(header)).toBe(true);
  });

  it.each([
    [
      'the name twice, because another host of the domain may have set one of the cookies',
      `${name}=mine; ${name}=tossed`,
    ],
    ['the same name and value twice', `${name}=mine; ${name}=mine`],
    ['the name three times', `${name}=a; x=1; ${name}=b; ${name}=c`],
  ])('the session cookie counts as present but unreadable if the header has %s', (_, header) => {
    expect(cookie.read(header)).toBeNull();
    expect(cookie.isIn(header)).toBe(true);
  });

  it.each([
    ['no cookies', undefined],
    ['an empty header', ''],
    ['other cookies', 'a=1; b=2'],
    ['the name for the other scheme', `${other}=abc`],
    ['the name in capitals', `${name.toUpperCase()}=abc`],
    ['a longer name', `x${name}=abc; ${name}x=abc`],
    ['the name as a value', `a=${name}; b="; ${name}"`],
    ['the name without a value', name],
    ['the name after other white space', `\u00a0${name}=abc; \u2000${name}=abc; \x0b${name}=abc`],
  ])('no session cookie is found if the request has %s', (_, header) => {
    expect(cookie.read(header)).toBeNull();
    expect(cookie.isIn(header)).toBe(false);
  });
});
