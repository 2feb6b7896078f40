// needs: git

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { digestOf } from '../../support/content/uploads.js';
import { signIn } from '../../support/people/sign-in.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Site = { readonly slug: string; readonly editToken: string; readonly deployId: string };

const KIBIBYTE = 1_024;
const noise = (bytes: number) => randomBytes(bytes).toString('base64url').slice(0, bytes);

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;

const start = async (env: Record<string, string>) => {
  stele = await startStele({ folder: temporary.folder, env: { STELE_TRUSTED_PROXIES: '127.0.0.1', ...env } });
};
const from = (address: string) => ({ 'x-forwarded-for': address });
const post = (headers: Record<string, string>, html: string) =>
  stele.api.post('/v1/deploy').set(headers).type('html').send(html);
const patch = ({ slug, editToken }: Site, headers: Record<string, string>, html: string) =>
  stele.api
    .patch(`/v1/deploy?slug=${slug}`)
    .set({ 'x-svc-edit-token': editToken, ...headers })
    .type('html')
    .send(html);

beforeAll(async () => {
  temporary = await temporaryFolder('shares');
});
afterAll(() => temporary.remove());

describe('Fair shares of the service', () => {
  beforeAll(
    () =>
      start({
        STELE_RATE_LIMITS: 'on',
        STELE_DEPLOY_BYTES_PER_DAY: '400 KiB',
        STELE_ANONYMOUS_TOTAL_BYTES: '600 KiB',
        STELE_ANONYMOUS_TTL: '30d',
        STELE_ACCESS_BYTES_PER_DAY: '64 KiB',
      }),
    60_000,
  );
  afterAll(() => stele?.stop());

  it('redeploys of different anonymous sites from one network count toward the same limit', async () => {
    const sites: Site[] = [];
    for (let n = 0; n < 5; n++) sites.push((await post(from('192.0.2.1'), `<p>${n}`).expect(200)).body);
    const headers = from('192.0.2.2');
    const statuses: number[] = [];
    for (const site of sites.slice(0, 4)) {
      const answers = await Promise.all(Array.from({ length: 60 }, () => patch(site, headers, '<p>again')));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    const [, , , , last] = sites as [Site, Site, Site, Site, Site];
    const refused = await patch(last, headers, '<p>once more').expect(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited' });
    expect(refused.headers['ratelimit-policy']).toBe('"anonymous-redeploys";q=240;w=3600');
    await patch(last, from('192.0.2.3'), '<p>elsewhere').expect(200);
  }, 120_000);

  it('the bytes that a network or a user deploys per day are limited, in every body format', async () => {
    const { body: site } = await post(from('198.51.100.1'), noise(100 * KIBIBYTE)).expect(200);
    const expectRefused = ({ status, body, headers }: Awaited<ReturnType<typeof post>>) => {
      expect([status, body.code]).toEqual([429, 'rate_limited']);
      expect(body.detail).toContain('400 KiB per day');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    };
    // The bytes of a redeploy count towards the network that created the site, even if another network sends them.
    const text = noise(100 * KIBIBYTE);
    for (let n = 0; n < 2; n++) await patch(site, from('198.51.100.2'), text).expect(200);
    // The archives are small: the size of the extracted files counts.
    const large = { path: 'index.html', content: 'x'.repeat(300 * KIBIBYTE) };
    const redeploy = () =>
      stele.api
        .patch(`/v1/deploy?slug=${site.slug}`)
        .set({ 'x-svc-edit-token': site.editToken, ...from('198.51.100.2') });
    expectRefused(
      await redeploy()
        .type('application/zip')
        .send(zipOf([large])),
    );
    expectRefused(
      await redeploy()
        .type('application/gzip')
        .send(tarGzOf([large])),
    );
    expectRefused(
      await redeploy()
        .type('json')
        .send({ files: [large] }),
    );
    expectRefused(await redeploy().attach('files', Buffer.from(large.content), 'index.html'));
    expectRefused(await redeploy().type('html').send(large.content));
    expectRefused(await post(from('198.51.100.1'), noise(200 * KIBIBYTE)));

    const ann = await signIn(stele, 'ann@example.org');
    await post({ ...ann.bearer, ...from('198.51.100.1') }, noise(300 * KIBIBYTE)).expect(200);
    expectRefused(await post({ ...ann.bearer, ...from('198.51.100.9') }, noise(200 * KIBIBYTE)));
  }, 120_000);

  it('a single network can’t use up the storage limit for all anonymous sites', async () => {
    const before = (await stele.query('select coalesce(sum(bytes), 0) as bytes from unclaimed_content'))[0]!.bytes;
    const free = 600 * KIBIBYTE - Number(before);
    const greedy = from('203.0.113.1');
    const large = Math.floor(free / 2) - 2 * KIBIBYTE;
    const { body: site } = await post(greedy, noise(large)).expect(200);
    const { body } = await post(greedy, noise(8 * KIBIBYTE)).expect(429);
    expect(body).toMatchObject({ code: 'quota_exceeded' });
    // Content that the site already has does not count towards the limit. New content does, even in a merge.
    await patch(site, greedy, '<p>small').expect(200);
    await post(from('203.0.113.2'), noise(8 * KIBIBYTE)).expect(200);
    // Sites that have an owner do not count towards the limit.
    const eve = await signIn(stele, 'eve@example.org');
    await post({ ...eve.bearer, ...greedy }, noise(64 * KIBIBYTE)).expect(200);
    const claim = stele.api.post('/v1/claim/session').set(eve.bearer);
    await claim.send({ slug: site.slug, editToken: site.editToken }).expect(200);
    await eventually(async () => (await post(greedy, noise(8 * KIBIBYTE))).status === 200);
  }, 120_000);

  it('each deploy extends an anonymous site’s expiry, unless the expiry was chosen', async () => {
    const expiryOf = async (slug: string) => (await stele.api.get(`/v1/sites/${slug}`).expect(200)).body.expiresAt;
    const { body: site } = await post(from('203.0.113.5'), '<p>1').expect(200);
    const { body: wanted } = await stele.api
      .post('/v1/deploy?expires=2d')
      .set(from('203.0.113.5'))
      .type('html')
      .send('<p>1')
      .expect(200);
    const [first, asked] = [await expiryOf(site.slug), await expiryOf(wanted.slug)];
    await patch(site, from('203.0.113.5'), '<p>2').expect(200);
    await patch(wanted, from('203.0.113.5'), '<p>2').expect(200);
    expect(Date.parse(await expiryOf(site.slug))).toBeGreaterThan(Date.parse(first));
    expect(await expiryOf(wanted.slug)).toBe(asked);
  });

  it('the request entries stored for a site are limited in bytes per day, whatever paths its visitors request', async () => {
    const { body: flooded } = await post(from('203.0.113.7'), '<p>flooded').expect(200);
    const { body: quiet } = await post(from('203.0.113.8'), '<p>quiet').expect(200);
    const idOf = async (slug: string) => (await stele.api.get(`/v1/sites/${slug}`).expect(200)).body.id;
    const [floodedId, quietId] = [await idOf(flooded.slug), await idOf(quiet.slug)];
    const entries = async (siteId: string) => {
      const [row] = await stele.query(
        `select count(*)::int as count, coalesce(sum(160 + length(path)), 0)::int as bytes
         from access_entries where site_id = '${siteId}'`,
      );
      return row as { readonly count: number; readonly bytes: number };
    };
    for (let n = 0; n < 600; n++) await stele.visit(flooded.slug, `/${n}-${'x'.repeat(200)}`).expect(404);
    await stele.visit(quiet.slug).expect(200);
    await eventually(async () => (await entries(quietId)).count > 0);
    const { count, bytes } = await entries(floodedId);
    expect(count).toBeGreaterThan(0);
    // The total can exceed the limit slightly: a process records the first 64th of the limit without a query, and the
    // last entry may extend past the limit.
    expect(bytes).toBeLessThan(66 * KIBIBYTE);
  }, 120_000);

  it('clients’ network addresses are not stored in readable form', async () => {
    const stored = await stele.query(
      "select encode(sealed, 'escape') as text from site_networks union all select encode(share, 'escape') from share_use",
    );
    expect(stored.length).toBeGreaterThan(3);
    expect(JSON.stringify(stored)).not.toMatch(/192\.0\.2|198\.51|203\.0\.113|usr_/);
  });
});

describe('A service with less free space than its reserve', () => {
  // Nothing listens on this port, so jobs fail.
  const STELE_REPO_HOSTS = '127.0.0.1:9';
  const url = 'http://127.0.0.1:9/nothing.git';

  let site: Site;
  let built: Site;
  let linked: Site;
  let eve: Awaited<ReturnType<typeof signIn>>;
  const by = ({ editToken }: Site) => ({ 'x-svc-edit-token': editToken });
  const me = () => by(site);
  beforeAll(async () => {
    await start({ STELE_DISK_RESERVE: '0', STELE_REPO_HOSTS });
    site = (await post({}, '<h1>One</h1>').expect(200)).body;
    await patch(site, {}, '<h1>Two</h1>').expect(200);
    built = (await stele.api.post('/v1/repo/deploy').send({ url }).expect(200)).body;
    eve = await signIn(stele, 'eve@example.org');
    linked = (await post(eve.bearer, '<h1>Linked</h1>').expect(200)).body;
    await stele.api.put(`/v1/sites/${linked.slug}/repository`).set(eve.bearer).send({ url }).expect(200);
    await stele.stop();
    await start({ STELE_DISK_RESERVE: '1000 TiB', STELE_REPO_HOSTS });
  }, 120_000);
  afterAll(() => stele?.stop());

  it('deploys, uploads and builds are refused while the disk has too little free space', async () => {
    const bytes = randomBytes(1_000);
    const { body: prepared } = await stele.api.post('/v1/deploy/prepared').expect(201);
    const answers = await Promise.all([
      post({}, '<p>'),
      patch(site, {}, '<p>'),
      stele.api.post('/v1/deploy').send({ files: [{ path: 'index.html', content: 'x' }] }),
      stele.api
        .put(`/v1/uploads/${digestOf(bytes)}`)
        .set({ 'content-type': 'application/octet-stream', ...me() })
        .send(bytes),
      stele.api
        .put(`/v1/deploy/prepared${new URL(prepared.uploadUrl).search}`)
        .send({ files: [{ path: 'index.html', content: 'x' }] }),
      stele.api.post('/v1/repo/check').send({ url }),
      stele.api.post('/v1/repo/deploy').send({ url }),
      stele.api.post('/v1/repo/deploy').set(eve.bearer).send({ slug: linked.slug }),
      stele.api.post(`/v1/sites/${built.slug}/rerun`).set(by(built)),
    ]);
    const refusals = answers.map(({ status, body }) => [status, body.code]);
    expect(refusals).toEqual(answers.map(() => [507, 'storage_full']));
    await waitForOutput(stele.printed, 'STELE_DISK_RESERVE is');
  });

  it('with too little free space, sites stay online, and rollback, sign-in, claims and settings still work', async () => {
    expect((await stele.visit(site.slug).expect(200)).text).toBe('<h1>Two</h1>');
    const back = stele.api.post(`/v1/sites/${site.slug}/rollback`).set(me());
    await back.send({ deployId: site.deployId }).expect(200);
    expect((await stele.visit(site.slug).expect(200)).text).toBe('<h1>One</h1>');
    const ann = await signIn(stele, 'ann@example.org');
    const claim = stele.api.post('/v1/claim/session').set(ann.bearer);
    await claim.send({ slug: site.slug, editToken: site.editToken }).expect(200);
    await stele.api.patch(`/v1/sites/${site.slug}`).set(ann.bearer).send({ title: 'One' }).expect(200);
  });
});

async function eventually(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 500));
}
