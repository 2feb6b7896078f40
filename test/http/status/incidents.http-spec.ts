import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { statusOf } from '../../support/service/status.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const told = {
  title: 'Sites are slow',
  body: 'We **look** at it. [Log](https://example.org/log)',
  components: ['serve'],
  status: 'investigating',
};

describe('Incidents', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const token = 'the-operator-itself';
  const bearer = { authorization: `Bearer ${token}` };
  const tell = (body: object) => stele.api.post('/v1/admin/incidents').set(bearer).send(body);
  const update = (id: string, body: object) => stele.api.patch(`/v1/admin/incidents/${id}`).set(bearer).send(body);
  const page = async () => (await stele.raw.get('/status').set('accept', 'text/html').expect(200)).text;

  beforeAll(async () => {
    temporary = await temporaryFolder('incidents');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ADMIN_TOKEN: token } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('an incident published by the operator appears on the page, in the API and in the feed until it is resolved', async () => {
    const { body: begun } = await tell(told).expect(201);
    expect(begun).toMatchObject({ ...{ title: told.title, components: ['serve'], status: 'investigating' } });
    expect(begun.updates).toMatchObject([{ status: 'investigating', body: told.body }]);
    expect(await page()).toContain('<h3 id="title-');
    expect(await page()).toContain(
      '<p>We <strong>look</strong> at it. <a href="https://example.org/log" rel="nofollow noopener noreferrer">Log</a></p>',
    );

    await update(begun.id, { body: 'A disk is full.', status: 'identified', components: ['serve', 'publish'] }).expect(
      200,
    );
    const { body: over } = await update(begun.id, { body: 'It has room again.', status: 'resolved' }).expect(200);
    expect(over).toMatchObject({ status: 'resolved', components: ['publish', 'serve'] });
    expect(over.updates.map(({ status }: { status: string }) => status)).toEqual([
      'resolved',
      'identified',
      'investigating',
    ]);

    expect((await statusOf(stele)).incidents[0]).toMatchObject({ id: begun.id, status: 'resolved' });
    expect(await page()).toContain('Past incidents</h2>\n<article class="incident"');
    const { text } = await stele.api.get('/status.rss').expect(200);
    expect(text.split('<item>').slice(1)).toHaveLength(3);
    expect(text).toContain(`<guid isPermaLink="false">${begun.id}-3</guid>`);
    expect(text).toContain(`<link>http://localhost:${stele.port}/status#${begun.id}</link>`);

    const { body: list } = await stele.api.get('/v1/admin/incidents').set(bearer).expect(200);
    expect(list).toMatchObject({ page: 1, limit: 20, total: 1, items: [{ id: begun.id }] });
  });

  it.each([
    ['without a title', { ...told, title: ' ' }, 'title'],
    ['with a title that is too long', { ...told, title: 'x'.repeat(201) }, 'title'],
    ['without a text', { ...told, body: '' }, 'body'],
    ['with a text that is too long', { ...told, body: 'x'.repeat(10_001) }, 'body'],
    ['with a NUL', { ...told, body: 'a\u0000' }, 'body'],
    ['for an unknown component', { ...told, components: ['serve', 'coffee'] }, 'components[1]'],
    ['for a component that is not a string', { ...told, components: [7] }, 'components[0]'],
    ['for components that are not a list', { ...told, components: 'serve' }, 'components'],
    ['with an unknown status', { ...told, status: 'fixed' }, 'status'],
    ['with an empty body', {}, 'title'],
  ])('an incident %s is refused', async (_, body, path) => {
    const { body: problem } = await tell(body).expect(400);
    expect(problem.errors.map((error: { path: string }) => error.path)).toContain(path);
  });

  it('an incident with an unknown field is refused with an error that names the field', async () => {
    const { body: problem } = await tell({ ...told, severity: 'high' }).expect(400);
    expect(problem.detail).toBe('`severity` is not a known field.');
  });

  it('an incident with an oversized body is refused', async () =>
    void (await tell({ ...told, body: 'x'.repeat(100_000) }).expect(413)));

  it('an update without a text or with unknown fields is refused', async () => {
    const { body: incident } = await tell(told).expect(201);
    const errors = async (body: object) =>
      (await update(incident.id, body).expect(400)).body.errors.map((error: { path: string }) => error.path);
    expect(await errors({ status: 'resolved' })).toEqual(['body']);
    expect((await update(incident.id, { body: 'x', until: 'noon' }).expect(400)).body.detail).toBe(
      '`until` is not a known field.',
    );
    expect(await errors({ body: 'x', status: 'gone' })).toEqual(['status']);
  });

  it.each(['inc_01jd4v8k3mqg5t2x9w7z6y4r1p', 'inc_x', "x'%20or%201=1"])(
    'an update of an unknown incident is refused: %s',
    (id) => update(id, { body: 'x' }).expect(404),
  );

  it('only the operator can publish incidents', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    for (const send of [
      () => stele.api.post('/v1/admin/incidents').send(told),
      () => stele.api.patch('/v1/admin/incidents/inc_x').send({ body: 'x' }),
      () => stele.api.get('/v1/admin/incidents'),
    ]) {
      await send().expect(401);
      await send().set('authorization', 'Bearer not-the-operator-at-all').expect(401);
      await send().set(ann.bearer).expect(403);
    }
  });

  it('the text of an incident can’t add scripts or external content to the page', async () => {
    const hostile = '<script>alert(1)</script> ![x](https://evil.example/x.png) [y](javascript:alert(1))';
    await tell({ ...told, title: hostile, body: `${hostile}\n\n<img src=x onerror=alert(1)>` }).expect(201);
    const text = await page();
    expect(text).not.toMatch(/<(script|img|iframe)|javascript:alert\(1\)"/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const { text: feed } = await stele.api.get('/status.rss').expect(200);
    expect(feed).not.toMatch(/<(script|img)[ >]/);
  });
});
