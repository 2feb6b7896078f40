import { describe, expect, it } from '@jest/globals';
import { namesOneHost, originForm } from './one-host.js';

const request = (rawHeaders: string[], url = '/', more: { method?: string; httpVersion?: string } = {}) => ({
  rawHeaders,
  headers: { host: rawHeaders[1] },
  url,
  method: 'GET',
  httpVersion: '1.1',
  ...more,
});

describe('A request that names its host unambiguously', () => {
  it.each([
    'stele.example',
    'STELE.example:3000',
    'stele.example.',
    'stele.example:',
    'xn--caf-dma.stele.example',
    'with_underscore.example',
    '192.0.2.7:80',
    '[::1]',
    '[2001:db8::1]:3000',
    '[::ffff:192.0.2.7]',
  ])('a request is accepted if its Host header is %j', (host) =>
    expect(namesOneHost(request(['Host', host]))).toBe(true),
  );

  it.each([
    ['http://stele.example/a', 'stele.example'],
    ['HTTP://Stele.Example/a', 'stele.example'],
    ['http://user@stele.example:3000/a', 'stele.example:3000'],
    ['https://stele.example?x', 'stele.example'],
  ])('a request is accepted if its target is the absolute URL %s', (url, host) =>
    expect(namesOneHost(request(['Host', host], url))).toBe(true),
  );

  it('a request over HTTP/1.0 is accepted without a Host header', () =>
    expect(namesOneHost(request([], '/', { httpVersion: '1.0' }))).toBe(true));

  it('an OPTIONS request for the whole server is accepted', () =>
    expect(namesOneHost(request(['Host', 'stele.example'], '*', { method: 'OPTIONS' }))).toBe(true));
});

describe('A request that does not name its host unambiguously', () => {
  it.each([
    'foo.localhost:3000@evil.example',
    'evil.example@localhost',
    'localhost:3000:3000',
    'localhost:http',
    'localhost:300000',
    'localhost/evil',
    'localhost#evil',
    'localhost?evil',
    'localhost\\evil',
    'local host',
    'localhost,evil.example',
    'localhost;evil',
    'local%68ost',
    'http://localhost',
    'café.example',
    'cafÃ©.example',
    '::1',
    '[::1',
    '::1]',
    '[::1]evil',
    '[fe80::1%25eth0]',
    '[v1.x]',
    '"localhost"',
    '<script>',
    '*.localhost',
    'a'.repeat(262),
    '',
    ':',
    ':3000',
  ])('a request is refused if its Host header is %j', (host) =>
    expect(namesOneHost(request(['Host', host]))).toBe(false),
  );

  it('a request is refused if its Host header is missing or duplicated, even if the values are equal', () => {
    expect(namesOneHost(request(['Host', 'a.example', 'hOST', 'b.example']))).toBe(false);
    expect(namesOneHost(request(['Host', 'a.example', 'Host', 'a.example']))).toBe(false);
    expect(namesOneHost(request(['Host', 'a.example', 'X', 'Host']))).toBe(true);
    expect(namesOneHost(request([], '/'))).toBe(false);
  });

  it.each([
    ['a host other than its header', 'http://evil.example/'],
    ['its host with another port', 'http://stele.example:81/'],
    ['its host as a user name', 'http://stele.example@evil.example/'],
    ['another scheme', 'ftp://stele.example/'],
    ['neither a host nor a path', 'evil'],
    ['the whole server, but its method is not OPTIONS', '*'],
    ['a scheme but no host', 'http:///health'],
  ])('a request is refused if its target names %s', (_, url) =>
    expect(namesOneHost(request(['Host', 'stele.example'], url))).toBe(false),
  );
});

it.each([
  ['/a?b', '/a?b'],
  ['//evil.example/a', '//evil.example/a'],
  ['*', '*'],
  ['http://stele.example/a?b', '/a?b'],
  ['http://stele.example', '/'],
  ['http://stele.example?b', '/?b'],
  ['http://x@stele.example:3000//a', '//a'],
])('The request target %s has the path %s', (url, path) => expect(originForm(url)).toBe(path));
