import { describe, expect, it } from '@jest/globals';
import { refusedHeader } from './header-names.js';

describe('A custom header of a site', () => {
  it.each([
    ...['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file', 'x-litespeed-location', 'x-litespeed-cache-control'],
    ...['x-litespeed-tag', 'x-reproxy-url'],
  ])('a site cannot set a header that controls proxies: %s', (name) =>
    expect(refusedHeader(name)).toBe(`${name} controls proxies, so a site cannot set it`),
  );

  it.each(['content-length', 'etag', 'server', 'stele-position', 'x-request-id', 'connection', 'transfer-encoding'])(
    'a site cannot change a header that the server sets itself: %s',
    (name) => expect(refusedHeader(name)).toBe(`${name} is set by the server`),
  );

  it.each(['set-cookie', 'clear-site-data', 'service-worker-allowed', 'x-content-type-options', 'basic-auth', 'a b'])(
    'a site cannot set a header that is unsafe or invalid: %s',
    (name) => expect(refusedHeader(name)).not.toBeNull(),
  );

  it.each(['cache-control', 'content-security-policy', 'link', 'x-frame-options', 'x-powered-by', 'x-request-start'])(
    'a site can set any other header, such as %s',
    (name) => expect(refusedHeader(name)).toBeNull(),
  );
});
