import { describe, expect, it } from '@jest/globals';
import { forgeryCheck, ownOriginCheck } from './csrf.js';

const cookie = 'stele_session=token';

describe('A write with the session cookie', () => {
  const isForged = forgeryCheck('http://stele.example:8080');
  const origin = 'http://stele.example:8080';
  const write = (headers: Record<string, string>) => isForged({ method: 'POST', headers: { cookie, ...headers } });

  it.each([
    ['one of our pages', { 'sec-fetch-site': 'same-origin', origin }],
    ['a form without a referrer on one of our pages', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['the user rather than a page', { 'sec-fetch-site': 'none' }],
    ['one of our pages over plain HTTP', { origin }],
    ['a client that is not a browser', {}],
  ])('a write with the session cookie is allowed if it is made by %s', (_, headers) =>
    expect(write(headers)).toBe(false),
  );

  it.each([
    ['a page on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page on a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['a page on a sibling host that names our origin', { 'sec-fetch-site': 'same-site', origin }],
    ['a page with two values of Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin, cross-site', origin }],
    ['a page with an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'Same-Origin', origin }],
    ['a page with an empty Sec-Fetch-Site', { 'sec-fetch-site': '', origin }],
    ['a page without an origin', { origin: 'null' }],
    ['a page on another host', { origin: 'http://amber-otter.stele.example:8080' }],
    ['a page on another port', { origin: 'http://stele.example' }],
    ['a page with another scheme', { origin: 'https://stele.example:8080' }],
    ['a page on a host whose name begins with ours', { origin: 'http://stele.example:8080.evil.example' }],
    ['a page with an empty origin', { origin: '' }],
    ['a page with two origins', { origin: `${origin}, http://evil.example` }],
  ])('a write with the session cookie counts as forged if it is made by %s', (_, headers) =>
    expect(write(headers)).toBe(true),
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a %s request with the session cookie can count as forged', (method) =>
    expect(isForged({ method, headers: { cookie, origin: 'null' } })).toBe(true),
  );

  it.each(['GET', 'HEAD', 'OPTIONS'])('a %s request never counts as forged, because it changes nothing', (method) =>
    expect(isForged({ method, headers: { cookie, 'sec-fetch-site': 'cross-site' } })).toBe(false),
  );

  it('a write from another origin counts as forged even if it has the session cookie twice', () =>
    expect(write({ cookie: `${cookie}; ${cookie}`, origin: 'null' })).toBe(true));
});

it('A write without the session cookie never counts as forged, whatever its origin', () => {
  const isForged = forgeryCheck('https://stele.example');
  for (const header of [undefined, 'a=b', 'stele_session=not-ours-on-https'])
    expect(isForged({ method: 'POST', headers: { cookie: header, origin: 'null' } })).toBe(false);
});

it('If the base URL is a loopback address, all three loopback names on its port count as our own origin', () => {
  const isOurs = ownOriginCheck('http://localhost:3000');
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    expect(isOurs({ origin: `http://${name}:3000` })).toBe(true);
    expect(isOurs({ origin: `http://${name}:9000` })).toBe(false);
    expect(isOurs({ origin: `http://${name}` })).toBe(false);
  }
  expect(isOurs({ origin: 'http://amber-otter.localhost:3000' })).toBe(false);
});
