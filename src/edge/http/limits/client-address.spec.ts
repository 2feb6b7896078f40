import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ClientAddress, computeNetwork } from './client-address.js';

/** Returns a request to port 3000. By default, its Host header is an IP address of this machine. */
const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}, httpVersion = '1.1') =>
  ({
    socket: { remoteAddress, localPort: 3000 },
    headers: { host: '127.0.0.1:3000', ...headers },
    httpVersion,
  }) as IncomingMessage;

describe("The client's address", () => {
  const direct = new ClientAddress([]);
  const proxied = new ClientAddress(['10.0.0.0/8', 'fd00::/8', '192.0.2.9']);
  const through = (chain: string, peer = '10.0.0.1') => proxied.addressOf(from(peer, { 'x-forwarded-for': chain }));

  it('the client’s address is that of the peer if no proxy is trusted', () => {
    expect(direct.addressOf(from('192.0.2.1', { 'x-forwarded-for': '203.0.113.5' }))).toBe('192.0.2.1');
    expect(direct.addressOf(from('::ffff:192.0.2.1'))).toBe('192.0.2.1');
    expect(direct.addressOf(from(undefined))).toBe('unknown');
  });

  it('the client’s address is the last one that does not belong to a trusted proxy', () => {
    expect(through('192.0.2.1')).toBe('192.0.2.1');
    expect(through('203.0.113.5, 192.0.2.1')).toBe('192.0.2.1');
    expect(through('203.0.113.5, 192.0.2.1, 10.9.9.9,fd00::1')).toBe('192.0.2.1');
    expect(through('192.0.2.1', '::ffff:10.0.0.1')).toBe('192.0.2.1');
    expect(through('192.0.2.1', '192.0.2.9')).toBe('192.0.2.1');
    expect(through('192.0.2.1', '192.0.2.8')).toBe('192.0.2.8');
  });

  it('the client’s address is the proxy’s if the proxy names no client', () => {
    expect(proxied.addressOf(from('10.0.0.1'))).toBe('10.0.0.1');
    expect(through('10.2.0.1, 10.1.0.1')).toBe('10.2.0.1');
  });

  it('the client’s address is read without its port and brackets', () => {
    expect(through('192.0.2.1:4711')).toBe('192.0.2.1');
    expect(through('[2001:db8::1]:4711')).toBe('2001:db8::1');
    expect(through('[2001:db8::1]')).toBe('2001:db8::1');
    expect(through('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });

  it.each(['unknown', '', '_hidden', '1.2.3', '192.0.2.1 192.0.2.2', 'localhost'])(
    'the client’s address is unknown if the header is “%s”',
    (text) => expect(through(text)).toBe('unknown'),
  );
});

describe("The scheme of a client's request", () => {
  const proxied = new ClientAddress(['10.0.0.0/8']);

  it.each([
    ['https', 'https'],
    ['http', 'http'],
    ['http, HTTPS ', 'https'],
    ['https,http', 'http'],
    ['ftp', null],
    ['', null],
    [null, null],
  ] as const)('the scheme is the last one that a trusted proxy reports: “%s” means %s', (said, scheme) => {
    expect(proxied.schemeBehind('10.0.0.1', said)).toBe(scheme);
    expect(proxied.schemeBehind('::ffff:10.0.0.1', said)).toBe(scheme);
    expect(proxied.schemeBehind('192.0.2.1', said)).toBeNull();
  });
});

describe('An internal request', () => {
  const clientAddress = new ClientAddress(['10.0.0.0/8']);
  it('an internal request can come directly from this machine', () => {
    for (const own of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      expect(clientAddress.isInternal(from(own))).toBe(true);
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])
      expect([header, clientAddress.isInternal(from('127.0.0.1', { [header]: '127.0.0.1' }))]).toEqual([header, false]);
  });

  it('an internal request can come from a trusted proxy itself, or from this machine through a trusted proxy', () => {
    expect(clientAddress.isInternal(from('10.0.0.1'))).toBe(true);
    expect(clientAddress.isInternal(from('10.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))).toBe(true);
    expect(clientAddress.isInternal(from('10.0.0.1', { 'x-forwarded-for': '192.0.2.1' }))).toBe(false);
    expect(clientAddress.isInternal(from('10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 192.0.2.1' }))).toBe(false);
    expect(clientAddress.isInternal(from('10.0.0.1', { 'x-forwarded-for': 'nonsense' }))).toBe(false);
  });

  it('a request from a proxy that passes on the host name but not the client’s address is not internal', () => {
    for (const peer of ['127.0.0.1', '10.0.0.1'])
      for (const host of [
        ...['stele.example.org', 'stele.example.org:3000', 'localhost', 'localhost:8080', 'localhost:', ''],
        ...['192.0.2.7', '192.0.2.7:9090', '127.0.0.1', '127.0.0.1:9090', '[::1]', '0x7f000001:3000'],
      ])
        expect([peer, host, clientAddress.isInternal(from(peer, { host }))]).toEqual([peer, host, false]);
    for (const host of ['localhost:3000', 'LOCALHOST:3000', '[::1]:3000', '192.0.2.7:3000', '127.0.0.1:3000'])
      expect([host, clientAddress.isInternal(from('127.0.0.1', { host }))]).toEqual([host, true]);
  });

  it('a request over HTTP/1.0 is not internal, because some proxies use HTTP/1.0', () =>
    expect(clientAddress.isInternal(from('127.0.0.1', {}, '1.0'))).toBe(false));

  it('a request from an address that is neither local nor a trusted proxy’s is not internal', () =>
    expect(clientAddress.isInternal(from('192.0.2.1'))).toBe(false));
});

describe('A request that a trusted peer makes itself', () => {
  const clientAddress = new ClientAddress(['10.0.0.0/8']);

  it('a request counts as the peer’s own if it comes from this machine or a trusted proxy, whatever its host name', () => {
    for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1'])
      for (const host of ['api:3000', 'stele.example.org', ''])
        expect([peer, host, clientAddress.isPeerItself(from(peer, { host }))]).toEqual([peer, host, true]);
  });

  it('a request with a proxy’s header, or over HTTP/1.0, does not count as the peer’s own', () => {
    for (const peer of ['127.0.0.1', '10.0.0.1'])
      for (const header of [
        'x-forwarded-for',
        'forwarded',
        'via',
        'x-real-ip',
        'x-forwarded-host',
        'x-forwarded-proto',
      ])
        expect([header, clientAddress.isPeerItself(from(peer, { [header]: '127.0.0.1' }))]).toEqual([header, false]);
    expect(clientAddress.isPeerItself(from('127.0.0.1', {}, '1.0'))).toBe(false);
  });

  it('a request from an untrusted address does not count as the peer’s own', () => {
    expect(clientAddress.isPeerItself(from('192.0.2.1'))).toBe(false);
    expect(clientAddress.isPeerItself(from(undefined))).toBe(false);
  });
});

describe("A subscriber's network", () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('the network of a subscriber with the address %s is %s', (address, network) =>
    expect(computeNetwork(address)).toBe(network),
  );
});
