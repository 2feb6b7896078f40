import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ProjectionProcesses } from '../../../../test/support/database/projection-processes.js';
import { SniServer } from '../../../../test/support/dns/sni-server.js';
import { activated, added } from '../../../../test/support/events/domain-examples.js';
import { TlsHandshake } from '../../../adapters/tls/tls-handshake.engine.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { DomainLost, domainStream } from '../../../events/domain.events.js';
import { backgroundFailures } from '../../../kernel/faults/background-task.js';
import { type CertificateServer, NoCertificateServer } from '../../../kernel/ports/outside/certificate-server.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { createTable } from '../../../storage/tables/table.js';
import { CertificateRequests, certificateRequestsTable } from './certificate-requests.js';
import { Certificates } from './certificates.js';

const URLS = { baseUrl: 'https://stele.example', siteDomain: 'pages.example', mcpUrl: '', statusUrl: '' };
const [otter, seal, whale] = ['otter.stele.test', 'seal.stele.test', 'whale.stele.test'] as const;

describe('Obtaining the certificates of domains', () => {
  let keeping: ProjectionProcesses;
  let caddy: SniServer;
  let stopping: AbortController;
  let running: Certificates[];
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
    await createTable(keeping.pool, certificateRequestsTable);
    caddy = await SniServer.start();
    stopping = new AbortController();
    running = [];
  });
  afterEach(async () => {
    stopping.abort();
    for (const certificates of running) await certificates.stopped();
    await caddy.close();
    await keeping.close();
  });

  async function start(server: CertificateServer = new TlsHandshake(caddy.at), urls = URLS) {
    const { store } = keeping;
    const { pool, db, checkpoints, keep } = await keeping.process();
    await keep();
    const requests = new CertificateRequests(pool);
    const rows = db.getRepository(DomainRow);
    const certificates = new Certificates(server, requests, store, checkpoints, rows, new ServiceUrls(urls));
    certificates.start(stopping.signal);
    running.push(certificates);
  }

  const active = (hostname: string) => keeping.store.write(domainStream(hostname), added(1), activated(1));

  async function left(): Promise<{ hostname: string; attempt: number }[]> {
    const { rows } = await keeping.pool.query(
      'select hostname, attempt from certificate_requests where next_at is not null order by hostname',
    );
    return rows;
  }

  async function until(isSo: () => Promise<boolean> | boolean) {
    for (const end = Date.now() + 20_000; !(await isSo()); await delay(20))
      if (Date.now() > end) throw new Error(`Asked for ${caddy.asked.join()}; left ${JSON.stringify(await left())}`);
  }

  it('requests one certificate for each active domain, regardless of the number of workers', async () => {
    await active(otter);
    await start();
    await start();
    await until(() => caddy.asked.includes(otter));
    await active(seal);
    await until(async () => caddy.asked.includes(seal) && (await left()).length === 0);
    await start();
    await active(whale);
    await until(async () => caddy.asked.includes(whale) && (await left()).length === 0);
    expect(caddy.asked).toEqual([otter, seal, whale]);
  }, 60_000);

  it('schedules a failed request again without delaying other domains', async () => {
    caddy.refused.add(otter);
    await active(otter);
    await start();
    await until(async () => (await left()).some(({ attempt }) => attempt === 1));
    await active(seal);
    await until(() => caddy.asked.includes(seal));
    expect(caddy.asked).toEqual([otter, seal]);
    await until(async () => (await left()).length === 1);
    expect(await left()).toEqual([{ hostname: otter, attempt: 1 }]);
  }, 60_000);

  it('requests a certificate as soon as the database table is writable again', async () => {
    await start();
    await active(otter);
    await until(async () => caddy.asked.length === 1 && (await left()).length === 0);
    const refusal = `create function refused() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
      create trigger refused before insert on certificate_requests execute function refused()`;
    await keeping.pool.query(refusal);
    const failures = () => backgroundFailures().get('schedule_certificates_again') ?? 0;
    const before = failures();
    await keeping.store.write(domainStream(otter), DomainLost({ siteId: 'site_1' }), added(2), activated(2));
    await until(() => failures() > before);
    await keeping.pool.query('drop function refused() cascade');
    await until(async () => caddy.asked.length === 2 && (await left()).length === 0);
    expect(caddy.asked).toEqual([otter, otter]);
  }, 60_000);

  it('logs one warning for each active domain if the service only uses HTTP', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    try {
      await start(new NoCertificateServer(), { ...URLS, baseUrl: 'http://stele.example' });
      await active(otter);
      await keeping.store.write(domainStream(seal), added(1));
      await active(whale);
      await until(() => warn.mock.calls.some(([text]) => String(text).includes(whale)));
      const advice = 'is served over HTTP only. docs/https.md explains how to serve it over HTTPS.';
      expect(warn.mock.calls).toEqual([[`${otter} ${advice}`], [`${whale} ${advice}`]]);
    } finally {
      warn.mockRestore();
    }
  }, 60_000);

  it('stops requesting certificates for a domain that the site has lost', async () => {
    caddy.refused.add(otter);
    await active(otter);
    await start();
    await until(async () => (await left()).some(({ attempt }) => attempt === 1));
    await keeping.store.write(domainStream(otter), DomainLost({ siteId: 'site_1' }));
    await keeping.pool.query('update certificate_requests set next_at = clock_timestamp()');
    await until(async () => (await left()).length === 0);
    expect(caddy.asked).toEqual([otter]);
  }, 60_000);
});
