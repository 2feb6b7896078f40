import { expect, it } from '@jest/globals';
import { visitorHash } from './visitor-hash.js';

const salt = Buffer.alloc(32, 1);

it('A visitor hash is constant on a site for a day, and differs between sites, days and browsers', () => {
  const hash = visitorHash(salt, 'site_1', '192.0.2.1', 'Firefox');
  expect(visitorHash(salt, 'site_1', '192.0.2.1', 'Firefox')).toBe(hash);
  for (const other of [
    visitorHash(salt, 'site_2', '192.0.2.1', 'Firefox'),
    visitorHash(Buffer.alloc(32, 2), 'site_1', '192.0.2.1', 'Firefox'),
    visitorHash(salt, 'site_1', '192.0.2.2', 'Firefox'),
    visitorHash(salt, 'site_1', '192.0.2.1', 'Safari'),
  ])
    expect(other).not.toBe(hash);
});

it('Addresses in one IPv6 network have the same visitor hash', () => {
  const of = (address: string) => visitorHash(salt, 'site_1', address, 'Firefox');
  expect(of('2001:db8:0:1::1')).toBe(of('2001:db8:0:1:aaaa::2'));
  expect(of('2001:db8:0:1::1')).not.toBe(of('2001:db8:0:2::1'));
});

it('A visitor hash fits into its database column', () => {
  const hash = visitorHash(salt, 'site_1', 'unknown', '');
  expect(BigInt.asIntN(64, hash)).toBe(hash);
});
