import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { isLoopbackAddress, parseLoopbackPort, withParameters } from './loopback-address.js';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

describe('Loopback addresses of terminals', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1/',
    'http://127.0.0.1:1',
    'http://127.0.0.1:80/',
    'http://127.0.0.1:9999/callback',
    'http://127.0.0.1:10000/callback',
    'http://127.0.0.1:49152/callback',
    'http://127.0.0.1:59999/callback',
    'http://127.0.0.1:64999/',
    'http://127.0.0.1:65535/',
    'http://[::1]:8080/callback',
    'http://[::1]',
    'http://localhost:3000/',
    'http://localhost',
    'http://localhost:3000?run=1',
    'http://localhost:3000/a/b/c/',
    'http://localhost:3000/?',
    'http://localhost:3000/cb?run=run_1&where=/a?b',
    'http://localhost:3000/%C3%A9/a.b~c_d-e',
    "http://localhost:3000/(a)!$&'*+,;=:@",
    'http://localhost:3000/@evil.example',
    'http://localhost:3000//evil.example/',
    'http://localhost:3000/../..',
    'http://localhost:3000/?next=http://evil.example/',
  ])('accepts %s as a loopback address', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
    const { protocol, hostname, username, password, hash } = new URL(address);
    expect({ protocol, username, password, hash }).toEqual({ protocol: 'http:', username: '', password: '', hash: '' });
    expect(LOOPBACK).toContain(hostname);
    const onward = new URL(withParameters(address, { code: 'c', state: 's' }));
    expect(LOOPBACK).toContain(onward.hostname);
    expect(onward.searchParams.getAll('code')).toEqual(['c']);
  });

  it.each([
    ['an empty string', ''],
    ['a relative path', 'callback'],
    ['an absolute path', '/callback'],
    ['no scheme', '//127.0.0.1/'],
    ['https', 'https://127.0.0.1:8080/'],
    ['another scheme', 'ftp://127.0.0.1/'],
    ['a javascript URL', 'javascript:alert(1)//http://127.0.0.1/'],
    ['a data URL', 'data:text/html,http://127.0.0.1/'],
    ['a file URL', 'file://127.0.0.1/etc/passwd'],
    ['the scheme of an app', 'com.example.app:/callback'],
    ['one slash', 'http:/127.0.0.1/'],
    ['no slash', 'http:127.0.0.1/'],
    ['three slashes', 'http:///127.0.0.1/'],
    ['capitals in the scheme', 'HTTP://127.0.0.1/'],
    ['capitals in the hostname', 'http://LocalHost:3000/'],
    ['a longer hostname that begins with an IP address', 'http://127.0.0.1.evil.example/'],
    ['a longer hostname that begins with localhost', 'http://localhost.evil.example/'],
    ['a hostname that ends with localhost', 'http://evil-localhost/'],
    ['a subdomain of localhost', 'http://evil.localhost:3000/'],
    ['a trailing dot', 'http://localhost.:3000/'],
    ['a trailing dot after an IP address', 'http://127.0.0.1./'],
    ['a user name', 'http://evil@127.0.0.1/'],
    ['a loopback address as a user name', 'http://127.0.0.1@evil.example/'],
    ['a loopback address and port as credentials', 'http://127.0.0.1:80@evil.example/'],
    ['localhost and a port as credentials', 'http://localhost:3000@evil.example:80/'],
    ['an empty user name', 'http://@127.0.0.1/'],
    ['an escaped at sign', 'http://127.0.0.1%40evil.example/'],
    ['a short address', 'http://127.1/'],
    ['a shorter address', 'http://127/'],
    ['a decimal address', 'http://2130706433/'],
    ['a hexadecimal address', 'http://0x7f000001/'],
    ['a hexadecimal part', 'http://0x7f.0.0.1/'],
    ['an octal address', 'http://017700000001/'],
    ['an octal part', 'http://0177.0.0.1/'],
    ['leading zeros', 'http://127.000.000.001/'],
    ['another loopback address', 'http://127.0.0.2/'],
    ['the unspecified address', 'http://0.0.0.0:3000/'],
    ['a private address', 'http://192.168.0.1/'],
    ['an IPv4 address in IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['an IPv4 address in IPv6 in hexadecimal', 'http://[::ffff:7f00:1]/'],
    ['the long form of ::1', 'http://[0:0:0:0:0:0:0:1]/'],
    ['::1 with zeros', 'http://[::0001]/'],
    ['::1 with a zone', 'http://[::1%25lo]/'],
    ['::1 without brackets', 'http://::1/'],
    ['the unspecified IPv6 address', 'http://[::]/'],
    ['wide digits', 'http://\uff11\uff12\uff17.0.0.1/'],
    ['a wide dot', 'http://127\u30020\u30020\u30021/'],
    ['circled letters', 'http://ⓛocalhost/'],
    ['an escaped host', 'http://%6cocalhost/'],
    ['an escaped dot', 'http://127%2e0.0.1/'],
    ['a fragment', 'http://127.0.0.1/#here'],
    ['an empty fragment', 'http://127.0.0.1/#'],
    ['a fragment before an at sign', 'http://127.0.0.1#@evil.example/'],
    ['backslashes instead of slashes', 'http:\\\\127.0.0.1\\'],
    ['a backslash before an at sign', 'http://127.0.0.1\\@evil.example/'],
    ['a backslash after the host', 'http://127.0.0.1\\evil'],
    ['a backslash in the path', 'http://127.0.0.1/a\\b'],
    ['a blank at the start', ' http://127.0.0.1/'],
    ['a blank at the end', 'http://127.0.0.1/ '],
    ['a blank in the path', 'http://127.0.0.1/a b'],
    ['a tab in the host', 'http://local\thost/'],
    ['a line break at the end', 'http://127.0.0.1/\n'],
    ['a line break in the path', 'http://127.0.0.1/a\r\nset-cookie: a=b'],
    ['a NUL', 'http://127.0.0.1/\0'],
    ['a quote', 'http://127.0.0.1/"'],
    ['a tag', 'http://127.0.0.1/<script>'],
    ['braces', 'http://127.0.0.1/{a}'],
    ['a non-ASCII letter', 'http://127.0.0.1/é'],
    ['a broken escape', 'http://127.0.0.1/%zz'],
    ['an incomplete escape', 'http://127.0.0.1/%4'],
    ['no port after the colon', 'http://127.0.0.1:/'],
    ['port 0', 'http://127.0.0.1:0/'],
    ['a port with a leading zero', 'http://127.0.0.1:080/'],
    ['a port that is too large', 'http://127.0.0.1:65536/'],
    ['a port of six digits', 'http://127.0.0.1:100000/'],
    ['a port that is not a number', 'http://127.0.0.1:8o80/'],
    ['a port with a sign', 'http://127.0.0.1:+80/'],
    ['a code parameter', 'http://127.0.0.1/?code=theirs'],
    ['a state parameter', 'http://127.0.0.1/cb?a=b&state=theirs'],
    ['an escaped code parameter', 'http://127.0.0.1/?%63ode=theirs'],
    ['an error parameter', 'http://127.0.0.1/?error=theirs'],
    ['two addresses', 'http://127.0.0.1/ http://evil.example/'],
  ])('rejects an invalid loopback address: %s', (_, address) => expect(isLoopbackAddress(address)).toBe(false));

  it('addresses are checked in bounded time, even for hostile input', () => {
    const spent = cpuClock();
    expect(isLoopbackAddress(`http://127.0.0.1/${'a%41/'.repeat(20_000)}"`)).toBe(false);
    expect(spent()).toBeLessThan(2_000);
  });

  it('an address keeps its own query, and added parameters are escaped', () => {
    expect(withParameters('http://localhost:3000/cb?run=%7E&go', { code: 'a', state: 'x&code=b' })).toBe(
      'http://localhost:3000/cb?run=%7E&go&code=a&state=x%26code%3Db',
    );
    expect(withParameters('http://localhost', { code: 'a' })).toBe('http://localhost?code=a');
    expect(parseLoopbackPort('http://localhost/')).toBe('80');
    expect(parseLoopbackPort('http://[::1]:8123/')).toBe('8123');
  });
});
