import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFiles } from '../../support/content/changing-folder.js';
import { LeakDetector } from '../../support/people/leak-detector.js';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const MARK = 'kX7-what-nobody-may-read';

type Person = Awaited<ReturnType<typeof signIn>>;

describe('Site secrets', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Person;
  let bob: Person;
  beforeAll(async () => {
    temporary = await temporaryFolder('secrets');
    stele = await startStele({ folder: temporary.folder });
    ann = await signIn(stele, 'ann@example.org');
    bob = await signIn(stele, 'bob@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const makeSite = async (): Promise<string> =>
    (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>Hi</h1>').expect(200)).body.slug;
  const of = (slug: string, name = '') => `/v1/sites/${slug}/secrets${name && `/${name}`}`;
  const put = (slug: string, name: string, body: object | string, who: Person | null = ann) => {
    const request = stele.api.put(of(slug, name)).set('content-type', 'application/json');
    return (who ? request.set(who.bearer) : request).send(body);
  };
  const list = async (slug: string) => (await stele.api.get(of(slug)).set(ann.bearer).expect(200)).body;
  const code = (expected: string) => expect.objectContaining({ code: expected });

  it('secrets can be set, listed by name, replaced and deleted, and the history omits their values', async () => {
    const slug = await makeSite();
    expect(await list(slug)).toEqual({ items: [], page: 1, limit: 20, total: 0 });

    const first = await put(slug, 'TOKEN', { value: `${MARK}-1` }).expect(200);
    expect(first.body).toEqual({ name: 'TOKEN', version: 1, updatedAt: expect.stringMatching(/Z$/) });
    expect(first.headers['stele-revision']).toBe('4');
    await put(slug, 'A_1', { value: '' }).expect(200);
    const second = await put(slug, 'TOKEN', { value: `${MARK}-2` }).expect(200);
    expect(second.body).toMatchObject({ name: 'TOKEN', version: 2 });
    const { items, total } = await list(slug);
    expect([items, total]).toEqual([[{ ...first.body, name: 'A_1', updatedAt: expect.any(String) }, second.body], 2]);

    await stele.api.delete(of(slug, 'TOKEN')).set(ann.bearer).expect(204);
    await stele.api.delete(of(slug, 'TOKEN')).set(ann.bearer).expect(204);
    expect((await list(slug)).items).toMatchObject([{ name: 'A_1' }]);
    expect(await stele.query(`select name from vault where name = 'TOKEN'`)).toEqual([]);
    expect((await put(slug, 'TOKEN', { value: 'x' }).expect(200)).body).toMatchObject({ version: 3 });

    const { body } = await stele.api.get(`/v1/sites/${slug}/history`).set(ann.bearer).expect(200);
    expect((body.items as { summary: string }[]).slice(0, 5).map(({ summary }) => summary)).toEqual([
      'Secret TOKEN set (version 3)',
      'Secret TOKEN deleted',
      'Secret TOKEN set (version 2)',
      'Secret A_1 set (version 1)',
      'Secret TOKEN set (version 1)',
    ]);
    expect(JSON.stringify(body)).not.toContain(MARK);
  });

  it('users without a role and anonymous callers can neither list nor change secrets', async () => {
    const slug = await makeSite();
    await put(slug, 'TOKEN', { value: 'of Ann' }).expect(200);
    expect((await put(slug, 'TOKEN', { value: 'of Bob' }, bob).expect(403)).body).toEqual(code('forbidden'));
    expect((await put(slug, 'TOKEN', { value: 'x' }, null).expect(401)).body).toEqual(code('unauthenticated'));
    await stele.api.delete(of(slug, 'TOKEN')).set(bob.bearer).expect(403);
    await stele.api.delete(of(slug, 'TOKEN')).expect(401);
    await stele.api.get(of(slug)).set(bob.bearer).expect(403);
    await stele.api.get(of(slug)).expect(401);
    await stele.api.get(of('no-such-site')).set(ann.bearer).expect(404);
    expect((await list(slug)).items).toMatchObject([{ name: 'TOKEN', version: 1 }]);
  });

  it.each([
    ['an editor', 'editor', 200, 403],
    ['a viewer', 'viewer', 403, 403],
    ['another owner', 'owner', 200, 200],
  ] as const)('%s can access secrets as their role permits', async (_, role, reading, setting) => {
    const slug = await makeSite();
    await put(slug, 'TOKEN', { value: 'of Ann' }).expect(200);
    const email = `${role}@example.org`;
    const carl = await signIn(stele, email);
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    await stele.api.get((await newestMail(stele, email)).path).expect(200);
    await stele.api.get(of(slug)).set(carl.bearer).expect(reading);
    await put(slug, 'TOKEN', { value: 'of Carl' }, carl).expect(setting);
    await stele.api
      .delete(of(slug, 'TOKEN'))
      .set(carl.bearer)
      .expect(setting === 200 ? 204 : 403);
  });

  it('an edit token can’t set secrets, because only owned sites have secrets', async () => {
    const { body } = await stele.api.post('/v1/deploy').type('html').send('<h1>Hi</h1>').expect(200);
    const token = { 'x-svc-edit-token': body.editToken };
    expect((await stele.api.get(of(body.slug)).set(token).expect(200)).body).toMatchObject({ total: 0 });
    const refused = await stele.api.put(of(body.slug, 'TOKEN')).set(token).send({ value: MARK }).expect(403);
    expect(refused.body).toEqual(code('forbidden'));
  });

  it('the name and value must be valid for an environment variable, and errors never contain the value', async () => {
    const slug = await makeSite();
    const value = `${MARK}-refused`;
    const refusals = await Promise.all([
      put(slug, 'lower', { value }),
      put(slug, '1ST', { value }),
      put(slug, 'A-B', { value }),
      put(slug, 'A'.repeat(65), { value }),
      put(slug, 'A%0AB', { value }),
      put(slug, 'TOKEN', { value: `${value}\0` }),
      put(slug, 'TOKEN', { value: `${value}\ud800` }),
      put(slug, 'TOKEN', { value: [value] }),
      put(slug, 'TOKEN', { value, more: value }),
      put(slug, 'TOKEN', { [value]: value }),
      put(slug, 'TOKEN', { Value: value }),
      put(slug, 'TOKEN', [value]),
      put(slug, 'TOKEN', JSON.stringify(value)),
      put(slug, 'TOKEN', `{"value": "${value}`),
      put(slug, 'TOKEN', ''),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 400));
    const named = refusals.map(({ body }) => body.errors?.[0]?.path);
    expect(named.slice(0, 9)).toEqual([...Array(5).fill('name'), ...Array(3).fill('value'), '']);

    const large = await put(slug, 'TOKEN', { value: `${value}${'é'.repeat(16_384)}` }).expect(413);
    expect(large.body).toMatchObject({ code: 'too_large', errors: [{ path: 'value' }] });
    const huge = await put(slug, 'TOKEN', { value: value.repeat(20_000) }).expect(413);
    const form = await stele.api.put(of(slug, 'TOKEN')).set(ann.bearer).type('form').send({ value }).expect(415);
    const asked = await stele.api
      .put(`${of(slug, 'TOKEN')}?value=${value}`)
      .set(ann.bearer)
      .expect(400);
    const texts = [...refusals, large, huge, form, asked].map(({ text }) => text);
    expect(texts.filter((text) => text.includes(MARK))).toEqual([]);
    expect((await list(slug)).total).toBe(0);
  });

  it('secrets can have the documented maximum size and number, and contain any characters', async () => {
    const slug = await makeSite();
    await put(slug, 'CONTROL', { value: '\u0001'.repeat(32_768) }).expect(200);
    for (let n = 1; n < 50; n++) await put(slug, `N_${n}`, { value: 'é'.repeat(16_384) }).expect(200);
    expect((await put(slug, 'ONE_MORE', { value: 'x' }).expect(429)).body).toEqual(code('quota_exceeded'));
    await put(slug, 'N_7', { value: 'another' }).expect(200);
    await stele.api.delete(of(slug, 'N_1')).set(ann.bearer).expect(204);
    await put(slug, 'ONE_MORE', { value: 'x' }).expect(200);
  }, 180_000);

  it('twenty concurrent writes of a secret have distinct versions, and only the last value is kept', async () => {
    const slug = await makeSite();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(slug, 'TOKEN', { value: `value ${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const versions = answers.map(({ body }) => body.version as number);
    expect(new Set(versions).size).toBe(20);
    const { items } = await list(slug);
    expect(items).toMatchObject([{ version: Math.max(...versions) }]);
    const kept = await stele.query(
      `select version from vault where name = 'TOKEN' and site_id in (select site_id from vault where version = ${items[0].version})`,
    );
    expect(kept).toEqual([{ version: items[0].version }]);
  });

  it('the value of a secret never appears in tables, logs, files or output of the service', async () => {
    const slug = await makeSite();
    const value = `${MARK}-at-rest-\u00fc`;
    await put(slug, 'TOKEN', { value }).expect(200);
    await put(slug, 'TOKEN', { value: `${value}-2` })
      .set('idempotency-key', 'a-key-of-eight-or-more')
      .expect(200);
    expect((await stele.query('select sealed from vault')).length).toBeGreaterThan(0);
    await stele.query('checkpoint');

    const forms = [MARK, Buffer.from(MARK).toString('base64').slice(0, 30), Buffer.from(MARK).toString('hex')];
    const found: string[] = [];
    for await (const { path, content } of readFiles(temporary.folder))
      if (forms.some((form) => content.includes(form))) found.push(path);
    expect(found).toEqual([]);
    // Also searches the tables by SQL, because an external database stores its files elsewhere.
    const detector = new LeakDetector();
    for (const form of forms) detector.secret('a value', form);
    // The name is stored in plain text, so the search must find it.
    detector.secret('a name', '"name":"TOKEN"');
    const leaks = await detector.leaks(stele);
    expect(leaks.filter(({ what }) => what === 'a value')).toEqual([]);
    expect(leaks).toContainEqual({ what: 'a name', where: expect.stringMatching(/^table /) });
  });
});
