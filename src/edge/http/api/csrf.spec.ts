import { describe, expect, it } from '@jest/globals';
import { forgeryCheck, ownOriginCheck } from './csrf.js';

const cookie = 'stele_session=token';

describe('A write with the session cookie', () => {
  const isForged = forgeryCheck('http://stele.example:8080');
  const origin = 'http://stele.example:8080';
  const write = (headers: Record<string, string>) => isForged({ method: 'POST', headers: { cookie, ...headers } });

  it.each([
    ['one of our pages', { 'sec-fetch-site': 'same-origin', origin }],
    ['one of our pages, as a form without a referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['the person at the browser', { 'sec-fetch-site': 'none' }],
    ['one of our pages on plain http', { origin }],
    ['no browser', {}],
  ])('is allowed when made by %s', (_, headers) => expect(write(headers)).toBe(false));

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling', { 'sec-fetch-site': 'same-site' }],
    ['a page of a sibling that names our origin', { 'sec-fetch-site': 'same-site', origin }],
    ['who says two things', { 'sec-fetch-site': 'same-origin, cross-site', origin }],
    ['who says nothing known', { 'sec-fetch-site': 'Same-Origin', origin }],
    ['who says nothing', { 'sec-fetch-site': '', origin }],
    ['a page without an origin', { origin: 'null' }],
    ['a page of another host', { origin: 'http://amber-otter.stele.example:8080' }],
    ['a page of another port', { origin: 'http://stele.example' }],
    ['a page of another scheme', { origin: 'https://stele.example:8080' }],
    ['a page of a name that begins alike', { origin: 'http://stele.example:8080.evil.example' }],
    ['an empty origin', { origin: '' }],
    ['two origins', { origin: `${origin}, http://evil.example` }],
  ])('counts as forged when made by %s', (_, headers) => expect(write(headers)).toBe(true));

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('can be a %s request', (method) =>
    expect(isForged({ method, headers: { cookie, origin: 'null' } })).toBe(true),
  );

  it.each(['GET', 'HEAD', 'OPTIONS'])('is never a %s request, because that method changes nothing', (method) =>
    expect(isForged({ method, headers: { cookie, 'sec-fetch-site': 'cross-site' } })).toBe(false),
  );

  it('counts as forged if it has the cookie twice', () =>
    expect(write({ cookie: `${cookie}; ${cookie}`, origin: 'null' })).toBe(true));
});

it('A write without the session cookie never counts as forged, whatever its origin', () => {
  const isForged = forgeryCheck('https://stele.example');
  for (const header of [undefined, 'a=b', 'stele_session=not-ours-on-https'])
    expect(isForged({ method: 'POST', headers: { cookie: header, origin: 'null' } })).toBe(false);
});

it("With a loopback base URL, all three loopback names count as our own origin, but only on the URL's port", () => {
  const isOurs = ownOriginCheck('http://localhost:3000');
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    expect(isOurs({ origin: `http://${name}:3000` })).toBe(true);
    expect(isOurs({ origin: `http://${name}:9000` })).toBe(false);
    expect(isOurs({ origin: `http://${name}` })).toBe(false);
  }
  expect(isOurs({ origin: 'http://amber-otter.localhost:3000' })).toBe(false);
});
