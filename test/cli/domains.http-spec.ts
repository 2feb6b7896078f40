import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/cli/stele-command.js';
import { DomainsUnderTest } from '../support/dns/domains-under-test.js';

describe('stele domains', () => {
  let domains: DomainsUnderTest;
  let machine: CommandLine;

  beforeAll(async () => {
    domains = await DomainsUnderTest.start();
  }, 60_000);
  afterAll(() => domains?.close());
  beforeEach(async () => {
    machine = await CommandLine.create(domains.stele.base);
  });
  afterEach(() => machine?.remove());

  it('add --wait shows the DNS records to create, and ends when the domain is active', async () => {
    const slug = await domains.site('otters');
    const env = { STELE_TOKEN: domains.ann.token };
    const child = machine.start(['domains', 'add', 'www.waited.org', '--site', slug, '--wait'], { env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await new Promise<void>((resolve) =>
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk;
        if (err.includes('CNAME')) resolve();
      }),
    );
    expect(err).toMatch(/Create these DNS records:\nTYPE .*\nTXT +_stele\.www\.waited\.org +stele=/);
    const { body } = await domains.list(slug).expect(200);
    domains.setRecordsOf(body.items[0]);
    expect([await ended, out]).toEqual([0, 'www.waited.org is active.\n']);
    expect(await domains.shown('www.waited.org')).toEqual([200, 'otters']);
  }, 60_000);

  it('check shows which record is missing', async () => {
    const slug = await domains.site('seals');
    const env = { STELE_TOKEN: domains.ann.token };
    await machine.run(['domains', 'add', 'www.missing.org', '--site', slug], { env });
    await domains.lookedForAgain();
    expect(await machine.json(['domains', 'check', 'www.missing.org', '--site', slug], { env })).toMatchObject({
      exitCode: 0,
      status: 'pending',
      error: expect.stringContaining('TXT'),
    });
  });
});
