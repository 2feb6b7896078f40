import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reservedNames } from '../../../src/kernel/reserved-names.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;

const started = async (name: string, env: Record<string, string>) => {
  temporary = await temporaryFolder(name);
  stele = await startStele({ folder: temporary.folder, env });
};
const stopped = async () => {
  await stele?.stop();
  await temporary.remove();
};

/** Deploys through a trusted proxy that forwards this address. */
const deploy = (address: string, html = '<h1>x</h1>') =>
  stele.api.post('/v1/deploy').set('x-forwarded-for', address).type('html').send(html);

describe('/v1/limits', () => {
  beforeAll(() => started('limits', { STELE_ANONYMOUS_MAX_FILES: '12', STELE_MAX_FILE_BYTES: '345' }), 180_000);
  afterAll(stopped);

  it('/v1/limits lists size limits, reserved names and rate limits as configured', async () => {
    const { body } = await stele.api.get('/v1/limits').expect(200);
    expect(body).toMatchObject({
      caller: 'anonymous',
      deploy: { files: 12, fileBytes: 345, bytes: 104_857_600, jsonBytes: 52_428_800 },
      jsonBytes: 65_536,
      slug: { pattern: '^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$', reserved: reservedNames },
      rates: {
        enforced: false,
        items: expect.arrayContaining([{ name: 'anonymous-deploys', limit: 10, seconds: 3_600, per: 'address' }]),
      },
    });
  });

  it('/v1/limits lists every name that is refused as a slug', async () => {
    const { body } = await stele.api.get('/v1/limits').expect(200);
    for (const name of [...body.slug.reserved.slice(0, 3), 'xn--x', `dep-${'0'.repeat(26)}`]) {
      const listed = body.slug.reserved.includes(name);
      const matched = body.slug.reservedPatterns.some((pattern: string) => new RegExp(pattern).test(name));
      expect([name, listed || matched]).toEqual([name, true]);
      const refused = await stele.api.post(`/v1/deploy?slug=${name}`).type('html').send('x').expect(400);
      expect(refused.body.code).toBe('invalid_slug');
    }
  });

  it('deploys from the local machine do not count toward rate limits', async () => {
    for (let count = 0; count < 12; count++) {
      const { headers } = await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
      expect(headers).not.toHaveProperty('ratelimit');
    }
  });
});

describe('With rate limits, behind a trusted proxy', () => {
  beforeAll(
    () => started('rates', { STELE_RATE_LIMITS: 'on', STELE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' }),
    60_000,
  );
  afterAll(stopped);

  it('the eleventh anonymous deploy from an IP address within an hour is refused with Retry-After', async () => {
    expect((await stele.api.get('/v1/limits')).body.rates.enforced).toBe(true);
    for (let left = 9; left >= 0; left--) {
      const { headers } = await deploy('192.0.2.1').expect(200);
      expect(headers['ratelimit-policy']).toBe('"anonymous-deploys";q=10;w=3600');
      expect(headers.ratelimit).toMatch(new RegExp(`^"anonymous-deploys";r=${left};t=3[56]\\d\\d$`));
    }
    const { body, headers } = await deploy('192.0.2.1').expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', status: 429, retryable: true });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect(headers.ratelimit).toMatch(/^"anonymous-deploys";r=0;t=/);
    await deploy('192.0.2.2').expect(200);
  });

  it('of thirty concurrent anonymous deploys from one IP address, exactly ten succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => deploy('192.0.2.30')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it('an IPv6 network counts as one client, regardless of the rest of the address', async () => {
    for (let host = 0; host < 10; host++) await deploy(`2001:db8:1:2:${host}::1`).expect(200);
    await deploy('2001:db8:1:2:ffff:ffff:ffff:ffff').expect(429);
    await deploy('2001:db8:1:3::1').expect(200);
  });

  it('forwarded addresses that the client itself added are ignored', async () => {
    for (let count = 0; count < 10; count++) await deploy(`203.0.113.${count}, 192.0.2.40, 10.1.2.3`).expect(200);
    await deploy('203.0.113.99, 192.0.2.40').expect(429);
  });

  it('links use the service’s base URL, whatever scheme and host the proxy reports', async () => {
    const { body, headers } = await deploy('192.0.2.45')
      .set({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-port': '444' })
      .expect(200);
    expect([body.url, body.previewUrl, body.pathUrl].map((url) => new URL(url).protocol)).toEqual(
      Array(3).fill('http:'),
    );
    expect(JSON.stringify(body)).not.toContain('evil.example');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('a small request that is refused does not count toward the rate limit', async () => {
    for (let count = 0; count < 12; count++) {
      await stele.api.post('/v1/deploy').set('x-forwarded-for', '192.0.2.50').type('json').send('{').expect(400);
    }
    const { headers } = await deploy('192.0.2.50').expect(200);
    expect(headers.ratelimit).toMatch(/;r=9;/);
  });

  it('a retry does not count toward the rate limit, and gets the first response even if the limit is reached', async () => {
    const keyed = (key: string) => deploy('192.0.2.55').set('idempotency-key', key);
    const first = await keyed('the-first-of-ten-requests').expect(200);
    for (let count = 0; count < 9; count++) await deploy('192.0.2.55').expect(200);
    await keyed('a-key-that-is-still-unused').expect(429);
    for (let count = 0; count < 3; count++) {
      const again = await keyed('the-first-of-ten-requests').expect(200).expect('idempotency-replayed', 'true');
      expect(again.body).toEqual(first.body);
    }
    const other = await deploy('192.0.2.55', 'other').set('idempotency-key', 'the-first-of-ten-requests').expect(422);
    expect(other.body.code).toBe('idempotency_key_reused');
    await deploy('192.0.2.55').expect(429);
  });

  it('preflights have their own rate limit', async () => {
    const preflight = (sha256: string) =>
      stele.api
        .post('/v1/cli/preflight')
        .set('x-forwarded-for', '192.0.2.56')
        .send({ files: [{ path: 'index.html', size: 1, sha256 }] });
    expect((await stele.api.get('/v1/limits')).body.rates.items).toContainEqual({
      name: 'preflights',
      limit: 120,
      seconds: 60,
      per: 'address',
    });
    const { headers } = await preflight('0'.repeat(64)).expect(200);
    expect(headers['ratelimit-policy']).toBe('"preflights";q=120;w=60');
    expect(headers.ratelimit).toMatch(/^"preflights";r=119;/);
    await preflight('nonsense').expect(400);
    const answers = await Promise.all(Array.from({ length: 130 }, () => preflight('0'.repeat(64))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(119);
    expect((await preflight('0'.repeat(64)).expect(429)).body.code).toBe('rate_limited');
    await deploy('192.0.2.56').expect(200);
  });

  it('a large request that is refused counts toward the rate limit, because it cost as much as a deploy', async () => {
    const bad = JSON.stringify({ files: [{ path: '../x', content: 'x'.repeat(70_000) }] });
    const send = () => stele.api.post('/v1/deploy').set('x-forwarded-for', '192.0.2.51').type('json').send(bad);
    expect((await send().expect(400)).headers.ratelimit).toMatch(/;r=9;/);
    expect((await send().expect(400)).headers.ratelimit).toMatch(/;r=8;/);
  });

  it('a request over the limit is refused before its body is read', async () => {
    for (let count = 0; count < 10; count++) await deploy('192.0.2.60').expect(200);
    const head = [
      'POST /v1/deploy HTTP/1.1',
      `Host: localhost:${stele.port}`,
      'X-Forwarded-For: 192.0.2.60',
      'Content-Type: text/html',
      'Content-Length: 1000',
    ];
    const { status } = await sendRaw(stele.port, `${head.join('\r\n')}\r\n\r\n`);
    expect(status).toBe(429);
  });

  it('a site accepts sixty redeploys an hour, and refused requests of strangers do not count toward that limit', async () => {
    const { body: site } = await deploy('192.0.2.70').expect(200);
    const redeploy = (token: string, html = 'again') =>
      stele.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', token).type('html').send(html);
    const large = 'x'.repeat(70_000);
    for (let count = 0; count < 70; count++) await redeploy(strangerToken, large).expect(403);
    await stele.api
      .patch('/v1/deploy?slug=not-there')
      .set('x-svc-edit-token', strangerToken)
      .type('html')
      .send('x')
      .expect(404);

    const answers = [];
    for (let count = 0; count < 60; count++) answers.push(await redeploy(site.editToken));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.at(0)?.headers.ratelimit).toMatch(/^"redeploys";r=59;/);
    const { body, headers } = await redeploy(site.editToken).expect(429);
    expect(body.code).toBe('rate_limited');
    expect(headers['ratelimit-policy']).toBe('"redeploys";q=60;w=3600');
  });

  it('rerunning a job counts as a redeploy of the site in the path', async () => {
    const { body: site } = await deploy('192.0.2.71').expect(200);
    const { body: other } = await deploy('192.0.2.71').expect(200);
    const rerun = ({ slug, editToken }: typeof site, query = '') =>
      stele.api.post(`/v1/sites/${slug}/rerun${query}`).set('x-svc-edit-token', editToken);
    for (let count = 0; count < 70; count++) await rerun({ ...site, editToken: strangerToken }).expect(403);
    const nothing = await rerun(site);
    expect(nothing.status).toBeGreaterThanOrEqual(400);
    expect(nothing.headers.ratelimit).toMatch(/^"redeploys";r=60;/);

    for (let count = 0; count < 60; count++) {
      const again = stele.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', site.editToken);
      await again.type('html').send(`${count}`).expect(200);
    }
    const { body, headers } = await rerun(site, `?slug=${other.slug}`).expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect((await rerun(other)).status).not.toBe(429);
  }, 120_000);
});

describe('With rate limits, and no trusted proxy', () => {
  beforeAll(() => started('direct', { STELE_RATE_LIMITS: 'on' }), 180_000);
  afterAll(stopped);

  it('without a trusted proxy, X-Forwarded-For is ignored', async () => {
    for (let count = 0; count < 10; count++) await deploy(`192.0.2.${count}`).expect(200);
    await deploy('192.0.2.99').expect(429);
  });
});
