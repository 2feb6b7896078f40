import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { Refusal } from '../../../kernel/refusal.js';
import { ownNames, parseHostname } from './hostname.js';

const ours = ownNames({ baseUrl: 'https://stele.example.org:8443', siteDomain: 'pages.example.net:8443' });
const read = (text: string) => parseHostname(text, ours);

const whyNot = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') return error.detail;
    throw error;
  }
  return 'taken';
};

describe('A valid hostname', () => {
  it.each([
    ['www.example.com', 'www.example.com'],
    ['WWW.Example.COM.', 'www.example.com'],
    ['  example.com\n', 'example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['XN--MNCHEN-3YA.DE', 'xn--mnchen-3ya.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え。jp', 'xn--r8jz45g.jp'],
    ['президент.рф', 'xn--d1abbgf6aiiy.xn--p1ai'],
    ['ｗｗｗ.example.com', 'www.example.com'],
    ['ex\u00adample.com', 'example.com'],
    ['otter.github.io', 'otter.github.io'],
    ['1.1.1.1.com', '1.1.1.1.com'],
    ['stele.example.org.com', 'stele.example.org.com'],
    ['notstele.example.org', 'notstele.example.org'],
    ['example.org', 'example.org'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('a hostname is normalized: %j becomes %s', (text, hostname) => expect(read(text).hostname).toBe(hostname));

  it.each([
    ['example.com', 'example.com', 'www.example.com'],
    ['www.example.co.uk', 'example.co.uk', 'example.co.uk'],
    ['otter.github.io', 'otter.github.io', 'www.otter.github.io'],
    ['blog.example.com', 'example.com', null],
    ['www.blog.example.com', 'example.com', null],
  ])('%s belongs to the registered domain %s, and its www counterpart is %s', (text, registrable, pair) =>
    expect(read(text)).toMatchObject({ registrable, pair }),
  );

  it('a punycode hostname has a readable form', () => expect(read('xn--mnchen-3ya.de').unicode).toBe('münchen.de'));
});

describe('An invalid hostname', () => {
  const address = /must be a hostname .* not an IP address/;
  const more = /must be a hostname only/;
  const nobody = /cannot be used for public websites/;
  const unregistered = /must end in a public suffix, such as/;
  const suffix = /must not be a public suffix/;
  const standards = /internationalized domain names/;
  it.each<[string, RegExp]>([
    ['', /must not be empty/],
    [' \t', /must not be empty/],
    ['127.0.0.1', address],
    ['203.0.113.7', address],
    ['2001:db8::1', address],
    ['[::1]', address],
    ['0x7f.1', address],
    ['127.1', address],
    ['1.2.3', address],
    ['0177.0.0.1', address],
    ['１２７.0.0.1', address],
    ['127.0.0.1.', address],
    ['2130706433', address],
    ['256.256.256.256', standards],
    ['www.example.0x7f', standards],
    ['https://www.example.com/', more],
    ['www.example.com/path', more],
    ['www.example.com:443', more],
    ['me@example.com', more],
    ['ex%61mple.com', more],
    ['example.com?x', more],
    ['example.com#x', more],
    ['example.com\\x', more],
    ['exam\nple.com', more],
    ['exam\0ple.com', more],
    ['exam ple.com', more],
    ['a.com,b.com', more],
    ['<b>.com', more],
    ['$(id).com', more],
    ['example.com％2f', standards],
    ['*.example.com', /wildcard/],
    ['*', /wildcard/],
    ['_stele.example.com', /underscore/],
    ['a_b.example.com', /underscore/],
    ['localhost', /must contain a dot/],
    ['com', /must contain a dot/],
    ['com.', /must contain a dot/],
    ['printer', /must contain a dot/],
    ['.', /must contain a dot|standards|internationalized/],
    ['.example.com', /two dots in a row/],
    ['a..example.com', /two dots in a row/],
    ['example.com..', /two dots in a row/],
    ['-a.example.com', /letters, digits and hyphens/],
    ['a-.example.com', /letters, digits and hyphens/],
    ['ab--cd.example.com', /hyphens in its third and fourth position/],
    ['xn--a.com', standards],
    ['xn--.com', standards],
    ['xn--example-.com', standards],
    ['xn--80ak6aa92e-.com', standards],
    ['\u200dexample.com', standards],
    ['\ud800.com', standards],
    ['٠.com', standards],
    [`${'a'.repeat(64)}.com`, /part of more than 63/],
    [`${'ü'.repeat(60)}.com`, /part of more than 63/],
    [`${'a.'.repeat(10)}com`, /at most 10 parts/],
    [`${`${'a'.repeat(50)}.`.repeat(5)}com`, /at most 230 characters/],
    ['a'.repeat(70_000), /at most 230 characters/],
    ['x.localhost', nobody],
    ['nas.local', nobody],
    ['x.test', nobody],
    ['x.invalid', nobody],
    ['x.example', nobody],
    ['x.onion', nobody],
    ['x.internal', nobody],
    ['x.home.arpa', nobody],
    ['1.0.0.127.in-addr.arpa', nobody],
    ['a.b', unregistered],
    ['x.lan', unregistered],
    ['co.uk', suffix],
    ['github.io', suffix],
    ['foo.ck', suffix],
    ['stele.example.org', /belongs to this service/],
    ['STELE.example.org.', /belongs to this service/],
    ['x.stele.example.org', /belongs to this service/],
    ['pages.example.net', /belongs to this service/],
    ['otter.pages.example.net', /belongs to this service/],
    ['a.b.pages.example.net', /belongs to this service/],
  ])('an invalid hostname is refused: %j', (text, why) => expect(whyNot(text)).toMatch(why));

  it('a hostname with thousands of combining marks is refused quickly', () => {
    const spent = cpuClock();
    expect(whyNot(`a${'\u0315\u0300'.repeat(50_000)}.com`)).toMatch(/at most 230 characters/);
    expect(spent()).toBeLessThan(2_000);
  });
});

describe('Warnings about look-alike hostnames', () => {
  it.each([
    ['pаypal.com', /“pаypal” mixes scripts/],
    ['аррӏе.com', /“аррӏе” contains letters that look like Latin/],
    ['www.ехаmрlе.com', /mixes scripts/],
    ['gοοgle.com', /mixes scripts/],
    ['xn--80ak6aa92e.com', /“аррӏе” contains letters/],
  ])('warnings about look-alike letters are returned for %s, which is accepted', (text, warning) =>
    expect(read(text).warning).toMatch(warning),
  );

  it.each([
    'example.com',
    'münchen.de',
    'президент.рф',
    'сор.рф',
    'тест.com',
    '例え.jp',
    'まるごと東京tokyo.jp',
    'ドメイン名例.jp',
    '한국어한자漢字.kr',
  ])('no warnings about look-alike letters are returned for %s', (text) => expect(read(text).warning).toBeNull());
});

it('an IP address of the service is not one of its hostnames', () =>
  expect(ownNames({ baseUrl: 'http://[::1]:3000', siteDomain: 'localhost:3000' })).toEqual(['localhost']));
