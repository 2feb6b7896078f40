import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Person = Awaited<ReturnType<typeof signIn>>;
type Headers = Record<string, string>;

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let ann: Person;

const started = async (name: string, env: Record<string, string>) => {
  temporary = await temporaryFolder(name);
  stele = await startStele({ folder: temporary.folder, env });
  ann = await signIn(stele, 'ann@example.org');
};
const stopped = async () => {
  await stele?.stop();
  await temporary.remove();
};

describe('Size limits of a deploy', () => {
  beforeAll(
    () =>
      started('signed-in-limits', {
        STELE_MAX_FILES: '6',
        STELE_ANONYMOUS_MAX_FILES: '3',
        STELE_MAX_DEPLOY_BYTES: '3000',
        STELE_ANONYMOUS_MAX_BYTES: '1000',
        STELE_MAX_FILE_BYTES: '1500',
      }),
    60_000,
  );
  afterAll(stopped);

  const nobody: Headers = {};
  const files = (count: number, bytes = count) =>
    Array.from({ length: count }, (_, n) => ({
      path: n === 0 ? 'index.html' : `${n}.txt`,
      content: 'x'.repeat(Math.floor(bytes / count) + (n === 0 ? bytes % count : 0)),
    }));
  const asJson = (who: Headers, brought: ReturnType<typeof files>, query = '') =>
    stele.api.post(`/v1/deploy${query}`).set(who).send({ files: brought });
  const asForm = (who: Headers, brought: ReturnType<typeof files>) =>
    brought.reduce(
      (post, { path, content }) => post.attach('files', Buffer.from(content), path),
      stele.api.post('/v1/deploy').set(who),
    );
  const sent = (who: Headers, type: string, body: Buffer) =>
    stele.api.post('/v1/deploy').set(who).set('content-type', type).send(body);

  it('/v1/limits reports the limits that apply to the caller', async () => {
    const signedIn = { bytes: 3_000, fileBytes: 1_500, files: 6 };
    const anonymous = { bytes: 1_000, fileBytes: 1_500, files: 3 };
    const asked = async (who: Headers) => (await stele.api.get('/v1/limits').set(who).expect(200)).body;
    expect(await asked(nobody)).toMatchObject({ caller: 'anonymous', deploy: anonymous });
    expect(await asked(ann.bearer)).toMatchObject({ caller: 'user', deploy: signedIn });
    const me = await stele.api.get('/v1/me').set(ann.bearer).expect(200);
    expect(me.body.limits).toEqual(signedIn);
    const names = async (who: Headers) => (await asked(who)).rates.items.map(({ name }: { name: string }) => name);
    expect(await names(nobody)).toEqual(expect.arrayContaining(['anonymous-deploys', 'redeploys']));
    expect(await names(nobody)).not.toContain('deploys');
    expect(await names(ann.bearer)).toEqual(expect.arrayContaining(['deploys', 'redeploys']));
    expect(await names(ann.bearer)).not.toContain('anonymous-deploys');
  });

  it.each([
    ['JSON', asJson],
    ['a form', asForm],
    ['a zip', (who: Headers, brought: ReturnType<typeof files>) => sent(who, 'application/zip', zipOf(brought))],
    ['a tar', (who: Headers, brought: ReturnType<typeof files>) => sent(who, 'application/gzip', tarGzOf(brought))],
  ])('for %s, signed-in users have higher limits, which are enforced exactly', async (_, send) => {
    const refusal = async (who: Headers, count: number, bytes: number) =>
      (await send(who, files(count, bytes)).expect(413)).body.code;
    await send(nobody, files(3, 1_000)).expect(200);
    expect(await refusal(nobody, 4, 100)).toBe('too_many_files');
    expect(await refusal(nobody, 3, 1_001)).toBe('too_large');
    await send(ann.bearer, files(6, 3_000)).expect(200);
    expect(await refusal(ann.bearer, 7, 100)).toBe('too_many_files');
    expect(await refusal(ann.bearer, 6, 3_001)).toBe('too_large');
    await send(ann.bearer, files(1, 1_500)).expect(200);
    expect(await refusal(ann.bearer, 1, 1_501)).toBe('too_large');
  });

  it('a redeploy has the limits of its caller, and files that a merge keeps count toward the limits', async () => {
    const { body: site } = await asJson(nobody, files(3)).expect(200);
    const patch = (who: Headers, brought: ReturnType<typeof files>, more = '') =>
      stele.api.patch(`/v1/deploy?slug=${site.slug}${more}`).set(who).send({ files: brought });
    const byToken = { 'x-svc-edit-token': site.editToken };
    expect((await patch(byToken, files(4)).expect(413)).body.code).toBe('too_many_files');
    await patch({ ...byToken, ...ann.bearer }, files(4)).expect(200);
    await stele.api
      .post('/v1/claim/session')
      .set(ann.bearer)
      .send({ slug: site.slug, editToken: site.editToken })
      .expect(200);
    const added = (...paths: string[]) => paths.map((path) => ({ path, content: path }));
    await patch(ann.bearer, added('a', 'b'), '&mode=merge').expect(200);
    expect((await patch(ann.bearer, added('c'), '&mode=merge').expect(413)).body.code).toBe('too_many_files');
    await patch(ann.bearer, added('b'), '&mode=merge').expect(200);
  });

  it('a preflight applies the caller’s limits and returns the signed-in user', async () => {
    const announced = files(6, 3_000).map(({ path, content }) => ({
      path,
      size: content.length,
      sha256: hash('sha256', content),
    }));
    const ask = async (who: Headers) =>
      (await stele.api.post('/v1/cli/preflight').set(who).send({ files: announced }).expect(200)).body;
    const anonymous = await ask(nobody);
    expect(anonymous).toMatchObject({ ok: false, limits: { files: 3, bytes: 1_000 } });
    expect(anonymous).not.toHaveProperty('user');
    const signedIn = await ask(ann.bearer);
    expect(signedIn).toMatchObject({
      ok: true,
      user: { id: ann.user.id, email: 'ann@example.org' },
      limits: { files: 6, bytes: 3_000, fileBytes: 1_500 },
      problems: [],
    });
  });
});

describe('The deploy rate limit for signed-in users', () => {
  beforeAll(() => started('signed-in-rates', { STELE_RATE_LIMITS: 'on' }), 180_000);
  afterAll(stopped);

  const deploy = (who: Headers) => stele.api.post('/v1/deploy').set(who).type('html').send('<h1>x</h1>');

  it('each user can deploy sixty times an hour, regardless of other users at the same IP address', async () => {
    const bob = await signIn(stele, 'bob@example.org');
    for (let count = 0; count < 10; count++) await deploy({}).expect(200);
    await deploy({}).expect(429);

    const first = await deploy(ann.bearer).expect(200);
    expect(first.headers['ratelimit-policy']).toBe('"deploys";q=60;w=3600');
    expect(first.headers.ratelimit).toMatch(/^"deploys";r=59;/);
    for (let count = 0; count < 59; count++) await deploy(ann.bearer).expect(200);
    const { body, headers } = await deploy(ann.bearer).expect(429);
    expect(body.code).toBe('rate_limited');
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);

    const again = await signIn(stele, 'ann@example.org');
    await deploy(again.bearer).expect(429);
    await deploy(bob.bearer).expect(200);
  }, 180_000);
});
