import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const TOKEN = 'the-operators-token';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
const started = async (env: Record<string, string>) => {
  temporary = await temporaryFolder('metrics');
  stele = await startStele({ folder: temporary.folder, env });
};
const stopped = async () => {
  await stele?.stop();
  await temporary.remove();
};

const metrics = () => stele.raw.get('/metrics');
const sample = (text: string, line: string) => {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

describe('Metrics', () => {
  beforeAll(() => started({ STELE_ADMIN_TOKEN: TOKEN }), 180_000);
  afterAll(stopped);

  it('the metrics describe the process, the log and the read models', async () => {
    await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
    // This read waits until the read models contain all earlier writes.
    await stele.api.get('/v1/sites/not-there').expect(404);
    const { text } = await metrics()
      .expect(200)
      .expect('content-type', /^text\/plain; version=0.0.4/);
    expect(sample(text, 'stele_log_position')).toBeGreaterThan(0);
    expect(sample(text, 'stele_read_model_lag{model="site"}')).toBe(0);
    expect(sample(text, 'stele_read_model_lag{model="history"}')).toBe(0);
    expect(sample(text, 'stele_events_total{type="SiteDeployed"}')).toBe(1);
    expect(text).toMatch(/stele_build_info\{version="\d+\.\d+\.\d+"\} 1/);
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('the metrics include each background task, even if it has never failed', async () => {
    const { text } = await metrics().expect(200);
    for (const task of ['save_snapshots', 'project_site', 'expire_sites', 'collect_content'])
      expect(sample(text, `stele_background_failures_total{task="${task}"}`)).toBe(0);
  });

  it('the metrics count requests by route, never by the requested URL', async () => {
    for (const name of ['one', 'two', 'three']) await stele.api.get(`/v1/sites/${name}`).expect(404);
    for (const name of ['one', 'two', 'three']) await stele.api.get(`/nothing/${name}`).expect(404);
    const { text } = await metrics().expect(200);
    const count = 'stele_http_request_duration_seconds_count';
    expect(sample(text, `${count}{method="GET",route="/v1/sites/:slug",status="404"}`)).toBeGreaterThanOrEqual(3);
    expect(sample(text, `${count}{method="GET",route="none",status="404"}`)).toBeGreaterThanOrEqual(3);
    expect(text).not.toContain('three');
  });

  it('the operator can read the metrics from other machines', async () => {
    const asked = () => metrics().set('x-forwarded-for', '192.0.2.1');
    await asked().set('authorization', `Bearer ${TOKEN}`).expect(200);
    await asked().set('authorization', `Bearer ${TOKEN}x`).expect(401);
    await asked().set('authorization', 'Bearer ').expect(401);
    await asked().expect(404);
  });

  it.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-proto', 'https'],
    ['forwarded', 'for=127.0.0.1'],
    ['x-real-ip', '127.0.0.1'],
    ['via', '1.1 proxy'],
  ])('a request for the metrics through an untrusted proxy gets 404 (%s)', async (name, value) => {
    const there = await metrics().set(name, value).expect(404);
    const nowhere = await stele.raw.get('/metricz').set(name, value).expect(404);
    const unlike = { requestId: expect.any(String), instance: expect.any(String), detail: expect.any(String) };
    expect(there.body).toEqual({ ...nowhere.body, ...unlike });
    expect(there.body.detail).toBe(nowhere.body.detail.replace('metricz', 'metrics'));
    expect(Object.keys(there.headers).filter((header) => !header.startsWith('access-control'))).toEqual(
      Object.keys(nowhere.headers).filter((header) => !header.startsWith('access-control')),
    );
  });

  it('other methods and the OpenAPI document do not reveal that the metrics exist', async () => {
    await stele.raw.post('/metrics').expect(404);
    await stele.raw.options('/metrics').expect(404);
    expect((await stele.api.get('/openapi.json')).body.paths).not.toHaveProperty('/metrics');
  });

  it('local requests can read the metrics by IP address and port, but not under a foreign host name', async () => {
    await metrics().set('host', `127.0.0.1:${stele.port}`).expect(200);
    await metrics().set('host', `192.0.2.1:${stele.port}`).expect(200);
    await metrics().set('host', 'rebound.example').expect(421);
  });

  it.each(['192.0.2.1', '127.0.0.1', '192.0.2.1:443', '[2001:db8::1]'])(
    'a client of a proxy that adds no header gets 404, whatever IP address it sends as Host: %s',
    async (host) => {
      await metrics().set('host', host).expect(404);
    },
  );
});

describe('A background task that keeps failing', () => {
  const task = 'connect_to_redis';
  const failures = async () => sample((await metrics()).text, `stele_background_failures_total{task="${task}"}`) ?? 0;

  // The service cannot connect to Redis, because nothing listens on this port.
  beforeAll(() => started({ REDIS_URL: 'redis://127.0.0.1:9' }), 180_000);
  afterAll(stopped);

  it('each failure of a background task is counted, and each series of failures is logged once', async () => {
    while ((await failures()) < 6) await new Promise((resolve) => setTimeout(resolve, 100));
    await waitForOutput(stele.printed, `${task} failed`);
    const lines = stele
      .printed()
      .split('\n')
      .filter((line) => line.includes(`${task} failed`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('ECONNREFUSED');
  }, 180_000);
});

describe('Metrics behind a trusted proxy', () => {
  beforeAll(() => started({ STELE_TRUSTED_PROXIES: '127.0.0.0/8 10.0.0.0/8' }), 180_000);
  afterAll(stopped);

  it('a trusted proxy itself can read the metrics, but its clients can’t', async () => {
    await metrics().expect(200);
    await metrics().set('x-forwarded-for', '10.2.3.4').expect(200);
    await metrics().set('x-forwarded-for', '192.0.2.1').expect(404);
    await metrics().set('x-forwarded-for', '127.0.0.1, 192.0.2.1').expect(404);
    await metrics().set('x-forwarded-for', 'unknown').expect(404);
  });

  it('nobody can read the metrics with an invalid operator token', async () => {
    await metrics().set('x-forwarded-for', '192.0.2.1').set('authorization', 'Bearer null').expect(401);
  });
});
