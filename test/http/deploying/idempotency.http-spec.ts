import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const isFleet = process.env.STELE_TEST_FLEET === '1';

const form = (boundary: string, content: string) => ({
  type: `multipart/form-data; boundary=${boundary}`,
  body: [
    `--${boundary}`,
    'content-disposition: form-data; name="files"; filename="index.html"',
    '',
    content,
    `--${boundary}--`,
    '',
  ].join('\r\n'),
});

describe('Retries with the same Idempotency-Key', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let keys = 0;

  beforeAll(async () => {
    temporary = await temporaryFolder('idempotency');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const newKey = () => `key-of-an-idempotent-request-${process.pid}-${++keys}`;
  const post = (key: string, html: string, query = '') =>
    stele.api.post(`/v1/deploy${query}`).set('idempotency-key', key).type('html').send(html);
  const deploysOf = async ({ slug, editToken }: { slug: string; editToken: string }) => {
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set('x-svc-edit-token', editToken).expect(200);
    return body.total;
  };

  it('a retry changes nothing and returns the first response again, including the edit token', async () => {
    const key = newKey();
    const first = await post(key, '<p>once</p>').expect(200);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');

    const again = await post(key, '<p>once</p>').expect(200).expect('idempotency-replayed', 'true');
    expect(again.body).toEqual(first.body);
    expect([again.headers.etag, again.headers['stele-position']]).toEqual([
      first.headers.etag,
      first.headers['stele-position'],
    ]);
    expect(await deploysOf(first.body)).toBe(1);
  });

  // Each multipart form has a different boundary, although its content is the same.
  it.each<[string, () => { type: string; body: string | Buffer }]>([
    ['a page', () => ({ type: 'text/html', body: '<p>same</p>' })],
    ['JSON', () => ({ type: 'application/json', body: '{"files":[{"path":"index.html","content":"<p>same</p>"}]}' })],
    ['a form', () => form(randomUUID(), '<p>same</p>')],
    ['a zip', () => ({ type: 'application/zip', body: zipOf([{ path: 'index.html', content: '<p>same</p>' }]) })],
    ['a tar.gz', () => ({ type: 'application/gzip', body: tarGzOf([{ path: 'index.html', content: '<p>same</p>' }]) })],
  ])('a retry gets the first response again if the body is sent as %s', async (_, made) => {
    const key = newKey();
    const send = ({ type, body } = made()) =>
      stele.api.post('/v1/deploy').set('idempotency-key', key).type(type).send(body);
    const first = await send().expect(200);
    const again = await send().expect(200).expect('idempotency-replayed', 'true');
    expect(again.body).toEqual(first.body);
    expect(await deploysOf(first.body)).toBe(1);
    const other = await send(form(randomUUID(), '<p>another</p>')).expect(422);
    expect(other.body.code).toBe('idempotency_key_reused');
  });

  it('ten concurrent requests with the same key cause one deploy; the other requests get 409 with Retry-After', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(key, '<p>ten</p>')));
    const done = answers.filter(({ status }) => status === 200);
    const early = answers.filter(({ status }) => status !== 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(early.map(({ body }) => [body.status, body.code, body.retryable])).toEqual(
      early.map(() => [409, 'idempotency_in_progress', true]),
    );
    expect(await deploysOf(done[0]!.body)).toBe(1);
    expect((await post(key, '<p>ten</p>').expect(200)).body).toEqual(done[0]!.body);

    // Simulates a kill between commit and response.
    await stele.query('update idempotency set answer = null, fingerprint = null, leased_until = now()');
    const again = await post(key, '<p>ten</p>').expect(200);
    expect(again.headers).not.toHaveProperty('idempotency-replayed');
    expect(again.body).toEqual(done[0]!.body);
    expect(await deploysOf(again.body)).toBe(1);
  });

  it('a key reused with another body, query or path is refused', async () => {
    const key = newKey();
    const { body: site } = await post(key, '<p>1</p>').expect(200);
    expect((await post(key, '<p>2</p>').expect(422)).body.code).toBe('idempotency_key_reused');
    expect((await post(key, '<p>1</p>', '?slug=elsewhere').expect(422)).body.code).toBe('idempotency_key_reused');
    expect(await deploysOf(site)).toBe(1);
  });

  it('a key belongs to its caller, so different edit tokens can use the same key', async () => {
    const key = newKey();
    const sites = await Promise.all(['a', 'b'].map((html) => post(newKey(), html).expect(200)));
    for (const { body } of sites) {
      const patch = () =>
        stele.api
          .patch(`/v1/deploy?slug=${body.slug}`)
          .set({ 'idempotency-key': key, 'x-svc-edit-token': body.editToken })
          .type('html')
          .send('second');
      const first = await patch().expect(200);
      expect((await patch().expect(200)).body).toEqual(first.body);
      expect(await deploysOf(body)).toBe(2);
    }
  });

  it('a retry after a refusal can succeed, because refusals are not stored', async () => {
    const key = newKey();
    expect((await post(key, '').expect(400)).body.code).toBe('no_files');
    await post(key, '<p>better</p>').expect(200);
  });

  it('a retried rollback happens only once', async () => {
    const { body: site } = await post(newKey(), '1').expect(200);
    const patch = stele.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', site.editToken);
    await patch.type('html').send('2').expect(200);
    const key = newKey();
    const rollback = (deployId: string) =>
      stele.api
        .post(`/v1/sites/${site.slug}/rollback`)
        .set({ 'idempotency-key': key, 'x-svc-edit-token': site.editToken })
        .send({ deployId });
    const first = await rollback(site.deployId).expect(200);
    const again = await rollback(site.deployId).expect(200).expect('idempotency-replayed', 'true');
    expect(again.body).toEqual(first.body);
    expect((await rollback('dep_other').expect(422)).body.code).toBe('idempotency_key_reused');
  });

  it('a rollback retried after a crash happens only once, even if there are newer deploys', async () => {
    const { body: site } = await post(newKey(), '1').expect(200);
    const headers = { 'x-svc-edit-token': site.editToken };
    const patch = (html: string) =>
      stele.api.patch(`/v1/deploy?slug=${site.slug}`).set(headers).type('html').send(html);
    const { body: second } = await patch('2').expect(200);
    const { headers: seen } = await stele.api.get(`/v1/sites/${site.slug}`).expect(200);
    const key = newKey();
    const rollback = () =>
      stele.api
        .post(`/v1/sites/${site.slug}/rollback`)
        .set({ ...headers, 'idempotency-key': key, 'if-match': seen.etag! })
        .send({ deployId: site.deployId });
    const first = await rollback().expect(200);
    expect(first.body.previousDeployId).toBe(second.deployId);
    const { body: third } = await patch('3').expect(200);

    // Simulates a kill between commit and response.
    await stele.query('update idempotency set answer = null, fingerprint = null, leased_until = now()');
    const again = await rollback().expect(200);
    expect(again.headers).not.toHaveProperty('idempotency-replayed');
    expect(again.body).toEqual(first.body);
    expect((await stele.api.get(`/v1/sites/${site.slug}`)).body.deployId).toBe(third.deployId);
  });

  it.each<[string, string, number]>([
    ['a word', 'my-deploy', 400],
    ['a number', '1234567890123456', 400],
    ['21 characters', 'x'.repeat(21), 400],
    ['a sentence', 'deploy the page of today', 400],
    ['a UUID', '0b7c9d3e-55f1-4c0b-9a51-2f1f7f2a9d10', 200],
    ['base64url', 'Zm9vYmFyYmF6cXV4MTIzNA', 200],
    ['hexadecimal', '8f14e45fceea167a5a36dedd4bea2543', 200],
  ])('an anonymous request that creates a site with %s as its key (%s) returns %d', async (_, key, status) => {
    const slug = `by-key-${++keys}`;
    const { body } = await post(key, 'x', `?slug=${slug}`).expect(status);
    if (status === 200) return;
    expect(body.errors).toEqual([{ path: 'idempotency-key', message: expect.stringContaining('UUID') }]);
    await post(newKey(), 'x', `?slug=${slug}`).expect(200);
  });

  it('a guessable key is accepted if the response contains no edit token', async () => {
    const { body } = await post(newKey(), '1').expect(200);
    const again = stele.api.patch(`/v1/deploy?slug=${body.slug}`).set('x-svc-edit-token', body.editToken);
    await again.set('idempotency-key', 'my-redeploy').type('html').send('2').expect(200);
    const { bearer } = await signIn(stele, 'keys@example.org');
    await post('my-deploy', 'x').set(bearer).expect(200);
  });

  it.each(['short', 'x'.repeat(256)])('a key must have 8 to 255 characters: %s', async (key) => {
    const { body } = await post(key, 'x').expect(400);
    expect(body.errors).toEqual([{ path: 'idempotency-key', message: expect.any(String) }]);
  });

  /**
   * Sends a request after a crash. A single process frees the keys of the crashed one when it starts. In a fleet, such a
   * key becomes free within 60 seconds.
   */
  async function whenFree(send: () => ReturnType<typeof post>) {
    for (;;) {
      const response = await send();
      const isLeased = isFleet && response.body.code === 'idempotency_in_progress';
      if (!isLeased) return response;
      await delay(1_000);
    }
  }

  it('if the service was killed after committing a deploy, a retry returns that deploy', async () => {
    // Some kills interrupt the commit and others the response. A fleet takes long to start, so it is killed less often.
    for (const afterMs of isFleet ? [2, 8, 17] : [2, 5, 8, 11, 14, 17]) {
      const key = newKey();
      const slug = `killed-${afterMs}`;
      const send = () => post(key, `<p>${afterMs}</p>`, `?slug=${slug}`);
      const lost = send().then(
        ({ body }) => body,
        () => null,
      );
      await delay(afterMs);
      await stele.stop('SIGKILL');
      const answered = await lost;
      stele = await startStele({ folder: temporary.folder });

      const again = await whenFree(send);
      expect(again.status).toBe(200);
      if (answered) expect(again.body).toEqual(answered);
      expect(again.body).toMatchObject({ slug, editToken: expect.any(String) });
      expect((await send().expect(200)).body).toEqual(again.body);
      expect(await deploysOf(again.body)).toBe(1);
      expect((await stele.visit(slug)).text).toBe(`<p>${afterMs}</p>`);
    }
  }, 480_000);
});
