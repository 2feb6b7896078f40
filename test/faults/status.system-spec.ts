// needs: database

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase, ownPostgres } from '../support/database/test-database.js';
import { DnsServer } from '../support/dns/dns-server.js';
import { testStore } from '../support/eventstore/test-store.js';
import { type Member, memberOf } from '../support/fleet/fleet-member.js';
import { MailServer } from '../support/people/mail-server.js';
import { failing, type ShownStatus, statusWhen } from '../support/service/status.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** The service takes some time to detect an outage. */
jest.setTimeout(180_000);

const EVERY_MS = 2_000;

/** Components that fail without PostgreSQL. */
const AWAY = ['publish', 'history', 'streams', 'jobs', 'servers'];

describe('The status page during outages', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let mails: MailServer;
  let dns: DnsServer;
  let stele: Stele;
  let worker: Member;
  const isWell = ({ status }: { readonly status: string }) => status === 'well';
  /** Waits until exactly these components fail. On a slow machine, other probes can also fail for a moment. */
  const whenFailing = (...names: string[]) => statusWhen(stele, (each) => failing(each).join() === names.join());

  beforeAll(async () => {
    temporary = await temporaryFolder('status-outages');
    [postgres, mails, dns] = await Promise.all([ownPostgres(), MailServer.open(), DnsServer.start()]);
    const place = { DATABASE_URL: databaseUrl(postgres.config) };
    const env = { ...place, SMTP_URL: mails.url, STELE_DNS_SERVERS: dns.address, STELE_STATUS_PROBES: '2s' };
    const { folder } = temporary;
    stele = await startStele({ folder, env: { ...env, STELE_ROLES: 'api,serve,projector' } });
    worker = await memberOf('worker', { ...env, ...(await testStore(place)), STELE_DATA: folder });
    await worker.start();
    await statusWhen(stele, isWell);
  });
  afterAll(async () => {
    await Promise.all([stele?.stop(), worker?.stop()]);
    await Promise.all([postgres?.stop(), mails?.down(), dns?.close()]);
    await temporary.remove();
  });

  it('if the mail server is down, only mail is reported as unavailable', async () => {
    await mails.down();
    await whenFailing('mail');
    await mails.up();
    await statusWhen(stele, isWell);
  });

  it('if no worker is running, only jobs are reported as unavailable', async () => {
    await worker.kill();
    const status = await whenFailing('jobs');
    expect(status.components.find(({ name }) => name === 'jobs')?.reason).toBe('no worker picks up waiting jobs');
    await worker.start();
    await statusWhen(stele, isWell);
  });

  it('if DNS does not respond, only domains are reported as unavailable', async () => {
    const host = 'localhost';
    dns.zone = { [host]: 'SERVFAIL' };
    await whenFailing('domains');
    dns.zone = {};
    await statusWhen(stele, isWell);
  });

  it('while PostgreSQL is down, the status page shows which components fail and how old its history is', async () => {
    await postgres.away(async () => {
      const status = await statusWhen(stele, (each) => failing(each).join() === AWAY.join() && !each.isCurrent);
      expect(status.recordsAt).not.toBeNull();
      const cookie = 'stele_session=stele_session_'.padEnd(77, 'x');
      const { text } = await stele.raw.get('/status').set({ accept: 'text/html', cookie }).expect(200);
      expect(text).toContain('<h1>5 components are failing</h1>');
      expect(text).toMatch(
        /Earlier days and past incidents can’t be updated right now. This page shows them as of \d+ \w+/,
      );
      await stele.raw.get('/status.rss').expect(200);
    });
    await statusWhen(stele, (each) => isWell(each) && each.isCurrent);
  });

  it('after an outage, the status page shows which components failed', async () => {
    // Includes all days, because the test can begin shortly before midnight (UTC).
    const failed = ({ components }: ShownStatus) =>
      components.filter(({ days }) => days.some((day) => day.failing > 0)).map(({ name }) => name);
    const recorded = await statusWhen(stele, (each) => failed(each).includes('publish'));
    expect(failed(recorded)).toEqual(expect.arrayContaining([...AWAY, 'mail', 'domains']));
    expect(failed(recorded)).not.toContain('agents');
  });
});

describe('Two processes that run the service’s self-tests', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let dns: DnsServer;
  let watcher: Stele;
  let both: Member[];
  let begunAt: number;
  const deploys = async () => (await watcher.log()).filter(({ type }) => type === 'SiteDeployed').length;
  const more = async (wanted: number) => {
    while ((await deploys()) < wanted) await new Promise((resolve) => setTimeout(resolve, 100));
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('status-two');
    [database, dns] = await Promise.all([freshDatabase(), DnsServer.start()]);
    const { folder } = temporary;
    const env = { DATABASE_URL: databaseUrl(database.config), STELE_DNS_SERVERS: dns.address };
    watcher = await startStele({ folder, env });
    const own = { ...env, ...(await testStore(env)), STELE_DATA: folder, STELE_STATUS_PROBES: '2s' };
    both = await Promise.all([0, 1].map(() => memberOf('api,serve,worker,projector', own)));
    begunAt = Date.now();
    await Promise.all(both.map((member) => member.start()));
  });
  afterAll(async () => {
    await Promise.all([watcher?.stop(), ...(both ?? []).map((member) => member.stop())]);
    await database?.drop();
    await dns?.close();
    await temporary.remove();
  });

  it('the two processes share the self-tests, so that each interval has only one test', async () => {
    await more(10);
    // Counts all tests since the start, because a slow machine can run the tests of several intervals in quick
    // succession.
    const tests = await deploys();
    const intervals = Math.ceil((Date.now() - begunAt) / EVERY_MS);
    expect(tests).toBeLessThanOrEqual(intervals + 1);
  });

  it('if one of the two processes is killed, the other process continues the self-tests', async () => {
    for (const lost of both) {
      await lost.kill();
      const begun = Date.now();
      await more((await deploys()) + 1);
      // This usually takes two intervals. Waiting for the lost process's lease to expire would take a minute.
      expect(Date.now() - begun).toBeLessThan(30_000);
      await lost.start();
    }
  });
});
