import { describe, expect, it } from '@jest/globals';
import { zoneLines } from './zone-lines.js';

const answer = (hostname: string) => ({
  hostname,
  slug: 'otter',
  verification: { type: 'TXT' as const, name: `_stele.${hostname}`, value: 'stele=0123' },
  target: { type: 'CNAME' as const, name: hostname, value: 'otter.pages.example.net' },
});
const facts = { isApex: false, addresses: ['203.0.113.7', '2001:db8::7'], authority: 'letsencrypt.org' };

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const records = (text: string) => lines(text).filter((line) => !line.startsWith(';'));

describe('The zone file of a domain', () => {
  it('a subdomain gets a TXT record and a CNAME record with full names', () => {
    expect(records(zoneLines(answer('www.example.com'), facts))).toEqual([
      '_stele.www.example.com.\t300\tIN\tTXT\t"stele=0123"',
      'www.example.com.\t300\tIN\tCNAME\totter.pages.example.net.',
    ]);
  });

  it('an apex domain gets IPv4 and IPv6 address records', () => {
    expect(records(zoneLines(answer('example.com'), { ...facts, isApex: true }))).toEqual([
      '_stele.example.com.\t300\tIN\tTXT\t"stele=0123"',
      'example.com.\t300\tIN\tA\t203.0.113.7',
      'example.com.\t300\tIN\tAAAA\t2001:db8::7',
    ]);
  });

  it('an apex domain without known addresses gets a hint about ALIAS records', () => {
    const text = zoneLines(answer('example.com'), { ...facts, isApex: true, addresses: [] });
    expect(records(text)).toHaveLength(1);
    expect(text).toMatch(/^; .*ALIAS or ANAME.* otter\.pages\.example\.net/m);
  });

  it('a CAA record is included as a comment if the certificate authority is known', () => {
    const caa = '; www.example.com.\t300\tIN\tCAA\t0 issue "letsencrypt.org"';
    expect(lines(zoneLines(answer('www.example.com'), facts))).toContain(caa);
    expect(zoneLines(answer('www.example.com'), { ...facts, authority: null })).not.toContain('CAA');
  });
});
