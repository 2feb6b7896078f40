// needs: database, git, redis, caddy

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { DnsServer } from '../support/dns/dns-server.js';
import { type LocalFleet, openFleet } from '../support/fleet/local-fleet.js';
import { partsOf, type ShownStatus } from '../support/service/status.js';
import { temporaryFolder } from '../support/service/stele.js';

describe('Self-tests of a service with several processes behind Caddy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let dns: DnsServer;
  let fleet: LocalFleet;

  beforeAll(async () => {
    [temporary, database, dns] = await Promise.all([
      temporaryFolder('status-fleet'),
      freshDatabase(),
      DnsServer.start(),
    ]);
    fleet = await openFleet({
      DATABASE_URL: databaseUrl(database.config),
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_STATUS_PROBES: '2s',
      STELE_DNS_SERVERS: dns.address,
    });
  }, 120_000);
  afterAll(async () => {
    await fleet?.end('SIGTERM');
    await fleet?.close();
    await database?.drop();
    await dns?.close();
    await temporary.remove();
  }, 60_000);

  it('every component is reported as healthy when tested through the public address', async () => {
    const apis = fleet.members.filter(({ roles }) => roles === 'api');
    const statusOf = async (port: number): Promise<ShownStatus> =>
      (await fetch(`http://localhost:${port}/status`)).json() as Promise<ShownStatus>;
    for (const { port } of [{ port: fleet.port }, ...apis]) {
      let status = await statusOf(port);
      // Caddy starts last. Until then, API processes can't reach the sites' hosts.
      while (status.status !== 'well' || status.components.length < 9) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        status = await statusOf(port);
      }
      expect(partsOf(status)).toEqual({
        ...{ publish: 'well', serve: 'well', history: 'well', streams: 'well' },
        ...{ jobs: 'well', servers: 'well', mail: 'well', domains: 'well', agents: 'well' },
      });
    }
  }, 150_000);
});
