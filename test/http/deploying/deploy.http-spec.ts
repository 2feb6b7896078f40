import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('POST and PATCH /v1/deploy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('deploy');
    stele = await startStele({
      folder: temporary.folder,
      env: {
        STELE_MAX_JSON_BYTES: '3000000',
        STELE_MAX_FILE_BYTES: '2500000',
        STELE_ANONYMOUS_MAX_FILES: '50',
        STELE_ANONYMOUS_MAX_BYTES: '4000000',
      },
    });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const post = () => stele.api.post('/v1/deploy');
  const json = (files: unknown) => post().send({ files } as object);
  const sha256 = (content: Buffer | string) => hash('sha256', content);

  describe('creating and replacing a site', () => {
    it('JSON with plain and base64 content creates a site', async () => {
      const picture = randomBytes(500);
      const { body } = await json([
        { path: 'index.html', content: '<h1>hé 😀</h1>' },
        { path: './img/pic.png', content: picture.toString('base64'), encoding: 'base64' },
      ]).expect(200);
      expect(body).toMatchObject({ files: 2, bytes: Buffer.byteLength('<h1>hé 😀</h1>') + 500 });

      expect((await stele.visit(body.slug)).text).toBe('<h1>hé 😀</h1>');
      const seen = await stele.visit(body.slug, '/img/pic.png').expect('content-type', 'image/png').buffer(true);
      expect(Buffer.compare(seen.body, picture)).toBe(0);
    });

    it('a multipart form with folders and non-ASCII file names creates a site', async () => {
      const { body } = await post()
        .attach('files', Buffer.from('<h1>m</h1>'), 'index.html')
        .attach('files', Buffer.from('a{}'), { filepath: 'css/a.css' } as never)
        .attach('files', Buffer.from('b()'), { filepath: 'js/a.css' } as never)
        .attach('files', Buffer.from('menu'), { filepath: 'café/menu.txt' } as never)
        .expect(200);
      expect(body.files).toBe(4);

      const files = await stele.api
        .get(`/v1/sites/${body.slug}/files`)
        .set('x-svc-edit-token', body.editToken)
        .expect(200);
      expect(files.body).toMatchObject({
        deployId: body.deployId,
        digest: body.digest,
        total: 4,
        items: [
          { path: 'café/menu.txt', size: 4, type: 'text/plain; charset=utf-8', sha256: sha256('menu') },
          { path: 'css/a.css', type: 'text/css; charset=utf-8' },
          { path: 'index.html' },
          { path: 'js/a.css' },
        ],
      });
      expect((await stele.visit(body.slug, '/caf%C3%A9/menu.txt')).text).toBe('menu');
    });

    it('a file that is larger than the buffers is stored and served unchanged', async () => {
      const film = randomBytes(2_400_000);
      const { body } = await post().attach('files', film, 'film.bin').expect(200);
      expect(body.warnings).toEqual([{ file: 'index.html', message: expect.any(String) }]);

      const seen = await stele.visit(body.slug, '/film.bin').buffer(true).expect('content-length', '2400000');
      expect(sha256(seen.body)).toBe(sha256(film));
    });

    it('the digest of a deploy can be computed from its files', async () => {
      const { body } = await json([
        { path: 'b.txt', content: 'two' },
        { path: 'a.txt', content: 'one' },
      ]).expect(200);
      const lines = `${sha256('one')} 3 a.txt\n${sha256('two')} 3 b.txt\n`;
      expect(body.digest).toBe(`sha256:${sha256(lines)}`);
    });

    it('a site can have a chosen slug, and a POST with its edit token replaces the site’s files', async () => {
      const first = await post().query({ slug: 'chosen' }).type('html').send('<p>1</p>').expect(200);
      expect(first.body).toMatchObject({ slug: 'chosen', unchanged: false });

      const again = await post()
        .query({ slug: 'chosen' })
        .set('x-svc-edit-token', first.body.editToken)
        .type('html')
        .send('<p>1</p>')
        .expect(200);
      expect(again.body).toMatchObject({ slug: 'chosen', unchanged: true });
      expect(again.body.deployId).not.toBe(first.body.deployId);
      expect(again.body).not.toHaveProperty('editToken');
    });

    it('replacing a site removes files that are not in the new deploy', async () => {
      const { body } = await json([
        { path: 'index.html', content: '1' },
        { path: 'old.html', content: 'old' },
      ]).expect(200);
      await stele.api
        .patch('/v1/deploy')
        .query({ slug: body.slug })
        .set('x-svc-edit-token', body.editToken)
        .send({ files: [{ path: 'index.html', content: '2' }] })
        .expect(200);
      await stele.visit(body.slug, '/old.html').expect(404);
    });
  });

  describe('invalid requests', () => {
    const multipart = (boundary: string, body: string) =>
      post().set('content-type', `multipart/form-data; boundary=${boundary}`).send(body);
    const part = (disposition: string) =>
      `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\nhi\r\n--x--\r\n`;
    const entry = { path: 'a', content: '' };

    const cases: [string, number, string, () => ReturnType<typeof post>][] = [
      ['no body', 400, 'no_files', () => post()],
      ['an empty page', 400, 'no_files', () => post().type('html').send('')],
      ['an empty list of files', 400, 'no_files', () => json([])],
      ['no list of files', 400, 'no_files', () => post().send({})],
      ['an empty form', 400, 'no_files', () => multipart('x', '--x--\r\n')],
      ['a body of another type', 415, 'unsupported_media_type', () => post().type('application/xml').send('<a/>')],
      ['malformed JSON', 400, 'invalid_request', () => post().type('json').send('{"files":')],
      ['JSON that is not an object', 400, 'invalid_request', () => post().type('json').send('[1]')],
      [
        'JSON that is nested 10,000 deep',
        400,
        'invalid_request',
        () =>
          post()
            .type('json')
            .send(`{"files":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
      ],
      ['null as its body', 400, 'invalid_request', () => post().type('json').send('null')],
      ['content that is not a string', 400, 'invalid_request', () => json([{ path: 'a', content: 5 }])],
      ['an unknown field', 400, 'invalid_request', () => json([{ ...entry, mode: 1 }])],
      ['an unknown encoding', 400, 'invalid_request', () => json([{ ...entry, encoding: 'hex' }])],
      ['invalid base64', 400, 'invalid_request', () => json([{ path: 'a', content: 'a*b=', encoding: 'base64' }])],
      [
        'a form part with another name',
        400,
        'invalid_request',
        () => multipart('x', part('name="file"; filename="a"')),
      ],
      ['a form part without a filename', 400, 'invalid_path', () => multipart('x', part('name="files"'))],
      [
        'a truncated form',
        400,
        'invalid_request',
        () => multipart('x', '--x\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\nhal'),
      ],
      [
        'a form without a boundary',
        400,
        'invalid_request',
        () => post().set('content-type', 'multipart/form-data').send('x'),
      ],
      ['a path that leads out of the site', 400, 'invalid_path', () => json([{ ...entry, path: '../../etc/passwd' }])],
      [
        'a path that leads out of the site, in a form',
        400,
        'invalid_path',
        () => multipart('x', part('name="files"; filename="../../x"')),
      ],
      ['a NUL in a path', 400, 'invalid_path', () => json([{ ...entry, path: 'a\0b' }])],
      ['the same path twice', 400, 'invalid_path', () => json([entry, entry])],
      ['paths that differ only in case', 400, 'invalid_path', () => json([entry, { ...entry, path: 'A' }])],
      ['a file of secrets', 400, 'blocked_path', () => json([{ ...entry, path: '.env' }])],
      ['an invalid slug', 400, 'invalid_slug', () => post().query({ slug: '-a' }).type('html').send('x')],
      ['a reserved slug', 400, 'invalid_slug', () => post().query({ slug: 'www' }).type('html').send('x')],
      ['an invalid expiry', 400, 'invalid_expires', () => post().query({ expires: 'soon' }).type('html').send('x')],
      ['a page over the limit', 413, 'too_large', () => post().type('html').send('x'.repeat(3_000_001))],
      ['a file over the limit', 413, 'too_large', () => post().attach('files', Buffer.alloc(2_500_001), 'a')],
      [
        'files that together exceed the limit',
        413,
        'too_large',
        () => post().attach('files', Buffer.alloc(2_400_000), 'a').attach('files', Buffer.alloc(2_400_000), 'b'),
      ],
      [
        'too many files',
        413,
        'too_many_files',
        () => json(Array.from({ length: 51 }, (_, n) => ({ path: `${n}`, content: '' }))),
      ],
      [
        'too many form parts',
        413,
        'too_many_files',
        () =>
          Array.from({ length: 60 }, (_, n) => `${n}`).reduce(
            (request, name) => request.attach('files', Buffer.from('x'), name),
            post(),
          ),
      ],
    ];

    it.each(cases)('a deploy with %s is refused with %d %s', async (_, status, code, send) => {
      const { body, headers } = await send();
      expect([body.status, body.code]).toEqual([status, code]);
      expect(headers['content-type']).toContain('application/problem+json');
      expect(body).toMatchObject({
        type: `http://localhost:${stele.port}/errors/${code}`,
        title: expect.any(String),
        detail: expect.any(String),
        instance: '/v1/deploy',
        requestId: headers['x-request-id'],
        retryable: false,
      });
      await post().type('html').send('<p>well</p>').expect(200);
    });

    it('the response names each invalid field', async () => {
      const { body } = await json([{ path: 'a', content: '' }, { content: '' }]).expect(400);
      expect(body.errors).toEqual([{ path: 'files[1].path', message: expect.any(String) }]);
      expect(body.detail).toContain('files[1].path');
    });
  });

  describe('authorization', () => {
    const patch = (slug: string, token?: string) => {
      const request = stele.api.patch('/v1/deploy').query({ slug }).type('html');
      return (token === undefined ? request : request.set('x-svc-edit-token', token)).send('<p>mine</p>');
    };

    it('an unknown site returns 404 even without a token; a missing token returns 401, and a wrong token returns 403', async () => {
      const { body: site } = await post().type('html').send('<p>yours</p>').expect(200);
      const { body: other } = await post().type('html').send('<p>other</p>').expect(200);

      expect((await patch('no-such-site').expect(404)).body.code).toBe('site_not_found');
      expect((await patch(site.slug).expect(401)).body.code).toBe('unauthenticated');
      expect((await patch(site.slug, strangerToken).expect(403)).body.code).toBe('edit_token_invalid');
      expect((await patch(site.slug, other.editToken).expect(403)).body.code).toBe('edit_token_invalid');
      expect((await stele.visit(site.slug)).text).toBe('<p>yours</p>');
    });

    it('a missing slug returns 400', async () => {
      const { body } = await stele.api.patch('/v1/deploy').type('html').send('x').expect(400);
      expect(body.errors).toEqual([{ path: 'slug', message: expect.any(String) }]);
    });

    it('a POST with somebody else’s slug returns 409', async () => {
      const { body: site } = await post().type('html').send('<p>first</p>').expect(200);
      const { body } = await post().query({ slug: site.slug }).type('html').send('<p>second</p>').expect(409);
      expect(body.code).toBe('slug_taken');
    });

    it.each(['deploys', 'files', 'history'])('only those who can read the site can read its %s', async (what) => {
      const { body: site } = await post().type('html').send('<p>1</p>').expect(200);
      const read = (slug: string) => stele.api.get(`/v1/sites/${slug}/${what}`);
      expect((await read('no-such-site').expect(404)).body.code).toBe('site_not_found');
      expect((await read(site.slug).expect(401)).body.code).toBe('unauthenticated');
      expect((await read(site.slug).set('x-svc-edit-token', strangerToken).expect(403)).body.code).toBe(
        'edit_token_invalid',
      );
      await read(site.slug).set('x-svc-edit-token', site.editToken).expect(200);
    });
  });

  describe('rolling back', () => {
    it('a rollback to another site’s deploy is refused; a rollback to the live deploy records nothing', async () => {
      const { body: site } = await post().type('html').send('<p>1</p>').expect(200);
      const { body: other } = await post().type('html').send('<p>2</p>').expect(200);
      const rollback = (deployId: unknown) =>
        stele.api
          .post(`/v1/sites/${site.slug}/rollback`)
          .set('x-svc-edit-token', site.editToken)
          .send({ deployId } as object);

      expect((await rollback(other.deployId).expect(404)).body.code).toBe('deploy_not_found');
      expect((await rollback('nonsense').expect(404)).body.code).toBe('deploy_not_found');
      expect((await rollback(5).expect(404)).body.code).toBe('deploy_not_found');
      expect((await rollback([5]).expect(400)).body.errors).toEqual([
        { path: 'deployId', message: expect.any(String) },
      ]);

      const { body, headers } = await rollback(site.deployId).expect(200);
      expect(body).toMatchObject({ deployId: site.deployId, previousDeployId: site.deployId });
      expect(headers).toMatchObject({ 'stele-revision': '2' });
      expect(headers).not.toHaveProperty('stele-position');
    });
  });
});
