import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { SiteCreated, SiteDeployed, siteStream } from '../../../src/events/site/site.events.js';
import { SlugHeld, slugStream } from '../../../src/events/slug.events.js';
import { DnsServer } from '../../support/dns/dns-server.js';
import { appendBeside, appendDirectly } from '../../support/eventstore/direct-append.js';
import { memberOf } from '../../support/fleet/fleet-member.js';
import { partsOf, type ShownStatus, statusOf, statusWhen } from '../../support/service/status.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

async function deploysOf(stele: Stele, siteId: string): Promise<number> {
  await delay(100);
  const log = await stele.log();
  return log.filter(({ stream, type }) => stream === siteStream(siteId) && type === 'SiteDeployed').length;
}

describe('A service that probes itself', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let dns: DnsServer;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('status');
    dns = await DnsServer.start();
    const env = { STELE_STATUS_PROBES: '1s', STELE_DNS_SERVERS: dns.address, STELE_RATE_LIMITS: 'on' };
    stele = await startStele({ folder: temporary.folder, env });
    await statusWhen(stele, ({ components }) => components.some(({ uptime }) => uptime === 100));
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await dns.close();
    await temporary.remove();
  });

  it('each component is reported as healthy', async () => {
    const status = await statusWhen(stele, ({ status, isCurrent }) => status === 'well' && isCurrent);
    expect(partsOf(status)).toEqual({
      ...{ publish: 'well', serve: 'well', history: 'well', streams: 'well' },
      ...{ jobs: 'well', servers: 'well', mail: 'well', domains: 'well', agents: 'well' },
    });
  });

  it('the status lists ninety days for each component, and a new service has data only for today', async () => {
    const { components } = await statusOf(stele);
    for (const { days } of components) {
      expect(days).toHaveLength(90);
      expect(days.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10), failing: 0, unknown: 0 });
      expect(days.at(-1)!.well).toBeGreaterThan(0);
      expect(days.slice(0, -2).every(({ well, failing, unknown }) => well + failing + unknown === 0)).toBe(true);
    }
  });

  it('the probe redeploys a single site, whose name is reserved', async () => {
    expect((await stele.visit('status').expect(200)).text).toContain('<title>Probe</title>');
    await stele.api.post('/v1/deploy').query({ slug: 'status' }).type('html').send('mine').expect(400);
    await stele.api.patch('/v1/deploy').query({ slug: 'status' }).type('html').send('mine').expect(401);
    const log = await stele.log();
    const ofProbe = log.filter(({ stream }) => stream.startsWith('site-prb_'));
    expect(new Set(ofProbe.map(({ stream }) => stream)).size).toBe(1);
    expect(new Set(ofProbe.map(({ type }) => type))).toEqual(new Set(['SiteCreated', 'SiteDeployed']));
  });

  it('the status stays healthy when the probe moves to another site', async () => {
    const log = await stele.log();
    const [made, deployed] = log
      .filter(({ stream }) => stream.startsWith('site-prb_'))
      .map(({ data }) => JSON.parse(data));
    const next = `prb_${'0'.repeat(26)}`;
    const first = SiteDeployed({ ...deployed, deployId: `dep_${'0'.repeat(26)}` });
    await appendDirectly(stele, next, SiteCreated(made), first);
    await appendBeside(stele, slugStream('status'), [SlugHeld({ siteId: next })]);
    // Each publish is followed by checks. After six publishes, the checks have run several times.
    for (let publishes = 0; publishes < 6; ) publishes = await deploysOf(stele, next);
    await statusWhen(stele, ({ isCurrent }) => isCurrent);
    expect(partsOf(await statusOf(stele))).toMatchObject({ publish: 'well', history: 'well', streams: 'well' });
  });

  it('the probe continues with a site that another process has reserved but not created', async () => {
    const begun = `prb_${'1'.repeat(26)}`;
    await appendBeside(stele, slugStream('status'), [SlugHeld({ siteId: begun })]);
    while ((await deploysOf(stele, begun)) < 2);
    const held = (await stele.log()).filter(({ stream }) => stream === slugStream('status')).at(-1);
    expect(JSON.parse(held?.data ?? '')).toEqual({ siteId: begun });
  });

  it('the probe’s results appear in the metrics', async () => {
    const { text } = await stele.raw.get('/metrics').expect(200);
    expect(text).toContain('stele_probe_well{component="publish"} 1');
    expect(text).toMatch(/stele_probe_duration_seconds\{component="serve"\} [0-9.e-]+/);
  });

  it('everyone gets the same status response, which can be cached for a few seconds', async () => {
    const { headers } = await stele.api.get('/status').expect(200);
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=10', vary: 'accept' });
    const page = await stele.raw.get('/status').set({ accept: 'text/html', cookie: 'stele_session=nonsense' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=10',
      vary: 'accept',
    });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('<h1>All systems are operational</h1>');
    expect(page.text.length).toBeLessThan(30_000);
  });

  it('an invalid bearer token is refused, as on other routes', () =>
    stele.api.get('/status').set('authorization', 'Bearer nonsense').expect(401));
});

describe('A service with probes switched off', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('status-off');
    const env = { STELE_STATUS_PROBES: 'off', STELE_STATUS_URL: 'https://stele.example/how-it-is' };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('with probes switched off, the status is unknown and the service publishes no probe site', async () => {
    expect(await statusOf(stele)).toMatchObject({ status: 'unknown', components: [], probes: { everySeconds: null } });
    expect(await stele.log()).toEqual([]);
    await stele.visit('status').expect(404);
  });

  it('the status page and its feed are also available at the configured path', async () => {
    const { text } = await stele.raw.get('/how-it-is').set('accept', 'text/html').expect(200);
    expect(text).toContain('href="https://stele.example/how-it-is.rss"');
    const feed = await stele.raw.get('/how-it-is.rss').expect(200);
    expect(feed.headers['content-type']).toBe('application/rss+xml; charset=utf-8');
    await stele.raw.get('/how-it-is/more').expect(404);
  });
});

describe('A service whose public addresses are unreachable from inside', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let dns: DnsServer;

  beforeAll(async () => {
    temporary = await temporaryFolder('status-inside');
    dns = await DnsServer.start();
  });
  afterAll(async () => {
    await dns.close();
    await temporary.remove();
  });

  it.each(['itself', 'the configured front'])(
    'the service sends its probes to %s, with the public host names',
    async (way) => {
      const env: Record<string, string> = {
        ...{ STELE_DATA: temporary.folder, STELE_BASE_URL: 'http://stele.invalid', STELE_SITE_DOMAIN: 'sites.invalid' },
        ...{ STELE_STATUS_PROBES: '1s', STELE_DNS_SERVERS: dns.address, SMTP_URL: '' },
      };
      const stele = await memberOf('api,serve,worker,projector', env);
      if (way !== 'itself') env.STELE_STATUS_FRONT = `http://127.0.0.1:${stele.port}`;
      await stele.start();
      try {
        const asked = async (): Promise<ShownStatus> =>
          (await request(`http://127.0.0.1:${stele.port}`).get('/status').set('host', 'stele.invalid').expect(200))
            .body;
        let status = await asked();
        while (status.status !== 'well') {
          await new Promise((resolve) => setTimeout(resolve, 250));
          status = await asked();
        }
        // `mail` is not listed, because a service on a public address sends no mail without a mail server.
        expect(Object.keys(partsOf(status))).toEqual([
          'publish',
          'serve',
          'history',
          'streams',
          'jobs',
          'servers',
          'domains',
          'agents',
        ]);
      } finally {
        await stele.stop();
      }
    },
    60_000,
  );
});
