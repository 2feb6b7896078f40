import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DnsServer, type NameRecords, type Zone } from '../../../test/support/dns/dns-server.js';
import type { DomainFindings, RecordFinding } from '../../kernel/ports/outside/domain-checker.js';
import { type DnsCheckerOptions, DnsDomainChecker } from './dns-domain-checker.engine.js';

const claim = { hostname: 'www.example.com', token: 'Tok3n', target: 'otter.pages.example.net' };
const TXT = ['stele=Tok3n'];
const OURS = { A: ['203.0.113.7'], AAAA: ['2001:db8::7'] };
const ours: Zone = { 'otter.pages.example.net': OURS, 'pages.example.net': OURS };

let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
});
afterAll(() => dns.close());

const checker = (options: Partial<DnsCheckerOptions> = {}, withinMs?: number) =>
  new DnsDomainChecker(
    {
      dnsServers: [dns.address],
      addresses: null,
      siteDomain: 'pages.example.net:8443',
      acmeUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      ...options,
    },
    withinMs,
  );

const check = (zone: Zone, options: Partial<DnsCheckerOptions> = {}, withinMs?: number): Promise<DomainFindings> => {
  dns.zone = { ...ours, ...zone };
  return checker(options, withinMs).check(claim, new AbortController().signal);
};

/** Checks a name with the given records and a valid TXT record. */
const at = (records: NameRecords, more: Zone = {}, options: Partial<DnsCheckerOptions> = {}) =>
  check({ '_stele.www.example.com': { TXT }, 'www.example.com': records, ...more }, options);

const of = ({ records }: DomainFindings, type: RecordFinding['type']) =>
  records.filter((record) => record.type === type);

describe('A name with correct records', () => {
  it('a name with correct records is verified, points to this service, and can get a certificate', async () => {
    const findings = await at({ CNAME: 'Otter.Pages.example.net' });
    expect(findings).toMatchObject({ verified: true, leadsHere: true, certifiable: true });
    expect(findings.records).toEqual([
      {
        type: 'TXT',
        name: '_stele.www.example.com',
        expected: 'stele=Tok3n',
        found: ['stele=Tok3n'],
        state: 'right',
        advice: '',
      },
      {
        type: 'CNAME',
        name: 'www.example.com',
        expected: 'otter.pages.example.net',
        found: ['otter.pages.example.net'],
        state: 'right',
        advice: '',
      },
    ]);
  });

  it.each<[string, NameRecords, Zone?]>([
    ['by a CNAME to another of its hosts', { CNAME: 'fox.pages.example.net' }],
    ['by a chain of CNAMEs', { CNAME: 'a.example.com' }, { 'a.example.com': { CNAME: 'otter.pages.example.net' } }],
    ['by a CNAME to a name with its addresses', { CNAME: 'lb.example.net' }, { 'lb.example.net': OURS }],
    ['by its own address', { A: ['203.0.113.7'], SOA: true }],
    ['by an IPv6 address only', { AAAA: ['2001:db8:0:0::7'] }],
    ['if one of several addresses is its own', { A: ['198.51.100.1', '203.0.113.7'] }],
  ])('a name points to this service %s', async (_, records, more = {}) =>
    expect(await at(records, more)).toMatchObject({ verified: true, leadsHere: true }),
  );

  it('a name points to this service only if it resolves to one of the configured addresses', async () => {
    const addresses = ['198.51.100.1', '2001:DB8::0:9'];
    expect(await at({ A: ['198.51.100.1'] }, {}, { addresses })).toMatchObject({ leadsHere: true });
    expect(await at({ AAAA: ['2001:db8::9'] }, {}, { addresses })).toMatchObject({ leadsHere: true });
    expect(await at({ A: ['203.0.113.7'] }, {}, { addresses })).toMatchObject({ leadsHere: false });
  });

  it('a loopback address belongs to this service on a developer’s machine', async () =>
    expect(await at({ A: ['127.0.0.1'] }, {}, { siteDomain: 'localhost:3000' })).toMatchObject({ leadsHere: true }));

  it.each([[['stele=Other', 'stele=Tok3n']], [['"stele=Tok3n"']], [[' stele=Tok3n ']], [[['stele=', 'Tok3n']]]])(
    'the TXT record %j verifies the name',
    async (texts) =>
      expect(await check({ '_stele.www.example.com': { TXT: texts } })).toMatchObject({ verified: true }),
  );

  it('a name can be verified by a TXT record that is reached through a CNAME', async () =>
    expect(
      await check({ '_stele.www.example.com': { CNAME: 'keys.example.org' }, 'keys.example.org': { TXT } }),
    ).toMatchObject({ verified: true }));
});

describe('A name with missing or wrong records', () => {
  it('the records to add are reported for a subdomain and for a zone apex', async () => {
    const missing = await check({});
    expect(missing).toMatchObject({ verified: false, leadsHere: false, certifiable: true });
    expect(missing.records).toEqual([
      {
        type: 'TXT',
        name: '_stele.www.example.com',
        expected: 'stele=Tok3n',
        found: [],
        state: 'missing',
        advice: 'Add a TXT record named _stele.www.example.com with the value stele=Tok3n.',
      },
      {
        type: 'CNAME',
        name: 'www.example.com',
        expected: 'otter.pages.example.net',
        found: [],
        state: 'missing',
        advice: 'Add a CNAME record for www.example.com with the value otter.pages.example.net.',
      },
    ]);
    const apex = await at({ SOA: true });
    expect(apex).toMatchObject({ verified: true, leadsHere: false });
    expect(of(apex, 'CNAME')).toEqual([]);
    expect(of(apex, 'A')).toMatchObject([{ expected: '203.0.113.7', state: 'missing' }]);
    expect(of(apex, 'AAAA')).toMatchObject([{ expected: '2001:db8::7', state: 'missing' }]);
  });

  it.each([[['stele=Other']], [['v=spf1 -all']], [['stele=tok3n']], [['xstele=Tok3n']], [['stele=Tok3n x']]])(
    'the TXT record %j does not verify the name',
    async (texts) => {
      const findings = await check({ '_stele.www.example.com': { TXT: texts } });
      expect(findings.verified).toBe(false);
      const advice = 'Change the value of the TXT record _stele.www.example.com to stele=Tok3n.';
      expect(of(findings, 'TXT')).toMatchObject([{ found: texts, state: 'wrong', advice }]);
    },
  );

  it('a TXT record of the name itself or of another name does not verify the name', async () => {
    const others = { 'www.example.com': { TXT }, 'example.com': { TXT }, '_stele.example.com': { TXT } };
    expect(await check(others)).toMatchObject({ verified: false });
  });

  it('a name whose CNAME leads to another service points elsewhere', async () => {
    const findings = await at({ CNAME: 'other.example.org' }, { 'other.example.org': { A: ['198.51.100.1'] } });
    expect(findings.leadsHere).toBe(false);
    expect(findings.records.slice(1)).toEqual([
      {
        type: 'CNAME',
        name: 'www.example.com',
        expected: 'otter.pages.example.net',
        found: ['other.example.org'],
        state: 'wrong',
        advice: 'Point the CNAME record at otter.pages.example.net instead of other.example.org.',
      },
    ]);
  });

  it('a name whose CNAME only resembles a host of this service points elsewhere', async () => {
    for (const CNAME of ['otter.pages.example.net.evil.example', 'xpages.example.net', 'example.net'])
      expect(await at({ CNAME })).toMatchObject({ leadsHere: false });
  });

  it('a name with addresses of another service points elsewhere', async () => {
    const findings = await at({ A: ['198.51.100.1'], AAAA: ['2001:db8::1'] });
    expect(findings.leadsHere).toBe(false);
    expect(findings.records.slice(1)).toMatchObject([
      {
        type: 'A',
        expected: '203.0.113.7',
        found: ['198.51.100.1'],
        state: 'wrong',
        advice: 'Change the A record to 203.0.113.7.',
      },
      { type: 'AAAA', expected: '2001:db8::7', state: 'wrong', advice: 'Change the AAAA record to 2001:db8::7.' },
    ]);
  });

  it('if a name leads only some visitors to this service, the record to remove is reported', async () => {
    const some = await at({ A: ['198.51.100.1', '203.0.113.7'] });
    expect(of(some, 'A')).toMatchObject([
      { state: 'wrong', advice: expect.stringMatching(/^Remove the A record 198\.51\.100\.1\. /) },
    ]);
    const six = await at({ A: ['203.0.113.7'], AAAA: ['2001:db8::1'] }, {}, { addresses: ['203.0.113.7'] });
    expect(six.leadsHere).toBe(true);
    expect(of(six, 'A')).toMatchObject([{ state: 'right', advice: '' }]);
    expect(of(six, 'AAAA')).toMatchObject([
      { state: 'wrong', advice: expect.stringMatching(/^Remove the AAAA record 2001:db8::1\. /) },
    ]);
  });

  it('a name in a CNAME loop does not point to this service', async () => {
    const circle = { 'a.example.com': { CNAME: 'b.example.com' }, 'b.example.com': { CNAME: 'www.example.com' } };
    const findings = await at({ CNAME: 'a.example.com' }, circle);
    expect(findings.leadsHere).not.toBe(true);
    expect(of(findings, 'CNAME')).toMatchObject([{ found: ['a.example.com', 'b.example.com'] }]);
  });

  it('a chain of a hundred CNAMEs is not followed to the end', async () => {
    const name = (step: number) => `s${step}.example.com`;
    const steps = Object.fromEntries(
      Array.from({ length: 100 }, (_, step) => [
        name(step),
        { CNAME: step < 99 ? name(step + 1) : 'otter.pages.example.net' },
      ]),
    );
    const before = dns.asked.length;
    await at({ CNAME: name(0) }, steps);
    expect(dns.asked.length - before).toBeLessThan(25);
  });
});

describe('DNS servers that do not respond', () => {
  it.each(['SERVFAIL', 'REFUSED'] as const)(
    'if the response is %s, no record is reported as missing',
    async (failing) => {
      const zone = {
        '_stele.www.example.com': failing,
        'www.example.com': failing,
        'example.com': failing,
        com: failing,
      };
      const findings = await check(zone);
      expect(findings).toMatchObject({ verified: null, leadsHere: null, certifiable: null });
      expect(findings.records.map(({ type, state, found }) => [type, state, found])).toEqual([
        ['TXT', 'unknown', []],
        ['CNAME', 'unknown', []],
        ['CAA', 'unknown', []],
      ]);
    },
  );

  it('if there is no response, the result is unknown, and the check ends in time', async () => {
    const zone = { '_stele.www.example.com': 'silent', 'www.example.com': 'silent' } as const;
    const began = performance.now();
    expect(await check(zone, {}, 300)).toMatchObject({ verified: null, leadsHere: null, certifiable: null });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('a check waits for a slow DNS response', async () =>
    expect(await check({ '_stele.www.example.com': { TXT, afterMs: 400 } })).toMatchObject({ verified: true }));

  it('one matching record is enough, even if the lookup of another record fails', async () => {
    expect(await at({ A: ['203.0.113.7'], AAAA: 'SERVFAIL' })).toMatchObject({ verified: true, leadsHere: true });
    expect(await at({ A: ['198.51.100.1'], AAAA: 'SERVFAIL' })).toMatchObject({ leadsHere: null });
    expect(await at({ A: ['198.51.100.1'], CNAME: 'SERVFAIL' })).toMatchObject({ leadsHere: null });
  });

  it('it is unknown whether a name points here while this service’s own addresses are unknown', async () => {
    const unknown = { 'otter.pages.example.net': 'SERVFAIL', 'pages.example.net': 'SERVFAIL' } as const;
    const findings = await at({ A: ['198.51.100.1'] }, unknown);
    expect(findings.leadsHere).toBeNull();
    expect(of(findings, 'A')).toMatchObject([{ state: 'unknown' }]);
  });

  it('the result of a check is unknown if there is no DNS resolver', async () => {
    const free = createSocket('udp4').bind(0, '127.0.0.1');
    await once(free, 'listening');
    const dnsServers = [`127.0.0.1:${free.address().port}`];
    free.close();
    expect(await check({}, { dnsServers }, 1_000)).toMatchObject({ verified: null, leadsHere: null });
  });

  it('a check rejects if it is aborted', async () => {
    dns.zone = { '_stele.www.example.com': 'silent' };
    const stopping = new AbortController();
    const checked = checker().check(claim, stopping.signal);
    stopping.abort(new Error('Stopping.'));
    await expect(checked).rejects.toThrow('Stopping.');
    await expect(checker().check(claim, stopping.signal)).rejects.toThrow('Stopping.');
  });
});

describe('The certificate authority', () => {
  const issue = (...values: string[]) => values.map((value) => ({ tag: 'issue', value }));
  it.each<[string, NonNullable<NameRecords['CAA']>, boolean]>([
    ['allow an authority that they name', issue('letsencrypt.org'), true],
    [
      'allow an authority that they name among others',
      issue('ca.example', 'LetsEncrypt.org; accounturi=https://x/1'),
      true,
    ],
    ['allow any authority if they restrict nothing', [{ tag: 'iodef', value: 'mailto:a@example.com' }], true],
    [
      'allow any authority if they restrict only wildcard certificates',
      [{ tag: 'issuewild', value: 'ca.example' }],
      true,
    ],
    ['forbid an authority that they do not name', issue('ca.example'), false],
    ['can forbid every authority', issue(';'), false],
    [
      'forbid an authority that they name for other validation methods',
      issue('letsencrypt.org;validationmethods=dns-01'),
      false,
    ],
    [
      'allow an authority that they name for our validation method',
      issue('letsencrypt.org; validationmethods=dns-01,http-01'),
      true,
    ],
    [
      'forbid every authority if a critical property is unknown',
      [...issue('letsencrypt.org'), { flags: 128, tag: 'tbs', value: 'x' }],
      false,
    ],
    ['forbid an authority if they name a longer host', issue('letsencrypt.org.evil.example'), false],
  ])('CAA records %s', async (_, CAA, certifiable) => {
    const findings = await at({ CNAME: 'otter.pages.example.net' }, { 'example.com': { CAA } });
    expect(findings.certifiable).toBe(certifiable);
    expect(of(findings, 'CAA')).toMatchObject([
      { name: 'example.com', expected: '0 issue "letsencrypt.org"', state: certifiable ? 'right' : 'wrong' },
    ]);
  });

  it('CAA records of a name override those of its ancestors, which otherwise apply', async () => {
    const far = { 'example.com': { CAA: issue('ca.example') } };
    expect(await at({ A: ['203.0.113.7'], CAA: issue('letsencrypt.org') }, far)).toMatchObject({ certifiable: true });
    const findings = await at({ A: ['203.0.113.7'] }, far);
    expect(of(findings, 'CAA')).toMatchObject([
      {
        found: ['0 issue "ca.example"'],
        advice:
          'Add a CAA record for example.com with the value 0 issue "letsencrypt.org". The existing records do not allow letsencrypt.org to issue a certificate.',
      },
    ]);
  });

  it('CAA records must allow the configured authority', async () => {
    const CAA = issue('letsencrypt.org');
    const zerossl = { acmeUrl: 'https://acme.zerossl.com/v2/DV90' };
    expect(await at({ CAA }, {}, zerossl)).toMatchObject({ certifiable: false });
    expect(await at({ CAA: issue('sectigo.com') }, {}, zerossl)).toMatchObject({ certifiable: true });
    const own = { acmeUrl: 'https://ca.intranet:14000/dir' };
    expect(await at({ CAA }, {}, own)).toMatchObject({ certifiable: null });
    for (const nobody of [';', ' ', ' ; x=y'])
      expect(await at({ CAA: issue(nobody) }, {}, own)).toMatchObject({ certifiable: false });
    expect(await at({}, {}, own)).toMatchObject({ certifiable: true });
  });
});

describe('Untrusted DNS values', () => {
  const sizeOf = (findings: DomainFindings) => JSON.stringify(findings).length;

  it('only a few of a thousand DNS values are shown', async () => {
    const texts = Array.from({ length: 1_000 }, (_, count) => `text ${count}`);
    const findings = await check({ '_stele.www.example.com': { TXT: [...texts, 'stele=Tok3n'] } });
    expect(findings.verified).toBe(true);
    expect(of(findings, 'TXT')[0]?.found).toHaveLength(11);
    expect(of(findings, 'TXT')[0]?.found.at(-1)).toBe('and 991 more');
  });

  it('a DNS value of 64 KiB is truncated', async () => {
    const parts = Array.from({ length: 250 }, () => 'x'.repeat(255));
    const findings = await check({ '_stele.www.example.com': { TXT: [parts] } });
    expect(findings.verified).toBe(false);
    expect(sizeOf(findings)).toBeLessThan(4_000);
  });

  it('values are unknown if they do not fit into a DNS response', async () => {
    const parts = Array.from({ length: 5_000 }, () => 'x'.repeat(255));
    expect(await check({ '_stele.www.example.com': { TXT: [parts] } }, {}, 500)).toMatchObject({ verified: null });
  });

  it('characters in DNS values that can hide text are replaced', async () => {
    const bytes = Buffer.from([...Array(256).keys()].filter((byte) => byte !== 0x22));
    const findings = await check({
      '_stele.www.example.com': { TXT: [bytes, '\u001b[2J<script>', '\u202eelets'] },
      'www.example.com': { CNAME: 'a\nb\u0000<i>.example.org' },
      'example.com': { CAA: [{ tag: 'issue', value: 'ca.example\r\nset-cookie: x=1\u0007' }] },
    });
    expect(findings).toMatchObject({ verified: false });
    for (const { found, advice } of findings.records)
      for (const text of [...found, advice]) expect(text).toMatch(/^[ -~\ufffd’…]*$/);
    expect(sizeOf(findings)).toBeLessThan(8_000);
  });

  it('only a few of hundreds of addresses and authorities are shown', async () => {
    const A = Array.from({ length: 500 }, (_, count) => `198.51.${count >> 8}.${count & 255}`);
    const CAA = Array.from({ length: 500 }, (_, count) => ({ tag: 'issue', value: `ca${count}.example` }));
    const findings = await at({ A, CAA });
    expect(findings).toMatchObject({ leadsHere: false, certifiable: false });
    expect(sizeOf(findings)).toBeLessThan(4_000);
  });
});
