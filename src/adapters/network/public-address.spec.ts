import { describe, expect, it } from '@jest/globals';
import { isPublic } from './public-address.js';

describe('Public Internet addresses', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001:81b::200e'])('include %s', (address) =>
    expect(isPublic(address)).toBe(true),
  );

  it.each([
    ['this machine', '127.0.0.1'],
    ['this machine', '127.255.255.254'],
    ['this machine', '::1'],
    ['no address', '0.0.0.0'],
    ['no address', '0.1.2.3'],
    ['no address', '::'],
    ['a private network', '10.0.0.1'],
    ['a private network', '172.16.0.1'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.1.1'],
    ['a private network', 'fc00::1'],
    ['a private network', 'fd12:3456::1'],
    ['a provider’s network', '100.64.0.1'],
    ['the link', '169.254.1.1'],
    ['a cloud’s metadata', '169.254.169.254'],
    ['a cloud’s metadata', 'fd00:ec2::254'],
    ['the link', 'fe80::1'],
    ['a site of old', 'fec0::1'],
    ['many', '224.0.0.1'],
    ['many', 'ff02::1'],
    ['everybody', '255.255.255.255'],
    ['ranges not assigned yet', '240.0.0.1'],
    ['ranges not assigned yet', '4000::1'],
    ['examples', '192.0.2.1'],
    ['examples', '198.51.100.1'],
    ['examples', '203.0.113.1'],
    ['examples', '2001:db8::1'],
    ['protocols', '192.0.0.170'],
    ['benchmarks', '198.18.0.1'],
    ['IPv4, mapped', '::ffff:127.0.0.1'],
    ['IPv4, mapped', '::ffff:7f00:1'],
    ['IPv4, mapped, though public', '::ffff:1.1.1.1'],
    ['IPv4, compatible', '::127.0.0.1'],
    ['IPv4, translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b::169.254.169.254'],
    ['NAT64 of one’s own', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::1'],
    ['Teredo', '2001:0:7f00:1::1'],
    ['a discarded one', '100::1'],
    ['a zone', 'fe80::1%eth0'],
    ['nonsense', 'localhost'],
    ['nothing', ''],
  ])('exclude those of %s: %s', (_, address) => expect(isPublic(address)).toBe(false));
});
