import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const sha256 = (content: string) => hash('sha256', content);
const file = (path: string, content: string) => ({ path, size: Buffer.byteLength(content), sha256: sha256(content) });

describe('POST /v1/cli/preflight', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('preflight');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_MAX_FILE_BYTES: '1000', STELE_ANONYMOUS_MAX_BYTES: '1500', STELE_ANONYMOUS_MAX_FILES: '20000' },
    });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const ask = (body: unknown, editToken?: string) => {
    const post = stele.api.post('/v1/cli/preflight');
    return (editToken === undefined ? post : post.set('x-svc-edit-token', editToken)).send(body as object);
  };

  async function made(...contents: string[]): Promise<{ slug: string; editToken: string }> {
    const files = contents.map((content, n) => ({ path: n === 0 ? 'index.html' : `${n}`, content }));
    return (await stele.api.post('/v1/deploy').send({ files }).expect(200)).body;
  }

  const codes = (body: { problems: { path?: string; code: string }[] }) =>
    body.problems.map(({ path, code }) => (path === undefined ? code : `${path}: ${code}`));

  it('for a new site, all content is listed as missing, without duplicates and in request order', async () => {
    const files = [file('index.html', 'b'), file('a.txt', 'a'), file('copy.html', 'b')];
    const { body } = await ask({ cliVersion: '1.2.3', files }).expect(200);
    expect(body).toEqual({
      ok: true,
      missing: [sha256('b'), sha256('a')],
      uploadToken: expect.stringMatching(/^stele_upload_[0-9A-Za-z]{49}$/),
      limits: { files: 20000, fileBytes: 1000, bytes: 1500, jsonBytes: 52428800 },
      latestVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      problems: [],
    });
  });

  it('content that no deploy of the caller’s site contains is listed as missing', async () => {
    const { slug, editToken } = await made('old', 'both');
    await stele.api
      .patch('/v1/deploy')
      .query({ slug })
      .set('x-svc-edit-token', editToken)
      .send({ files: [{ path: 'index.html', content: 'both' }] })
      .expect(200);
    const files = ['new', 'old', 'both', 'newer'].map((content) => file(content, content));
    const { body } = await ask({ slug, files }, editToken).expect(200);
    expect(body).toMatchObject({ ok: true, slug, missing: [sha256('new'), sha256('newer')], problems: [] });
  });

  it('the response reveals nothing about the content of other sites', async () => {
    const theirs = await made('a secret of theirs');
    const mine = await made('mine');
    const files = [file('index.html', 'a secret of theirs')];
    const missing = [sha256('a secret of theirs')];

    expect((await ask({ files }).expect(200)).body).toMatchObject({ ok: true, missing });
    expect((await ask({ slug: mine.slug, files }, mine.editToken).expect(200)).body).toMatchObject({
      ok: true,
      missing,
    });
    expect((await ask({ slug: 'unheard-of', files }).expect(200)).body).toMatchObject({ ok: true, missing });
    await ask({ slug: 'unheard-of', files }, theirs.editToken).expect(401);
    for (const token of [undefined, mine.editToken, strangerToken]) {
      const { body } = await ask({ slug: theirs.slug, files }, token).expect(200);
      expect(body).toMatchObject({ ok: false, missing });
      expect(codes(body)).toEqual(['slug_taken']);
    }
  });

  it('all problems are reported, with the same error codes as for a deploy', async () => {
    const files = [
      file('../x', 'x'),
      file('ok.txt', 'x'),
      file('.env', 'x'),
      file('OK.txt', 'x'),
      { ...file('big', 'x'), size: 1001 },
      { ...file('next', 'x'), size: 500 },
    ];
    const { body } = await ask({ slug: 'www', files }).expect(200);
    expect(body).toMatchObject({ ok: false, slug: 'www', missing: [sha256('x')] });
    expect(codes(body)).toEqual([
      'invalid_slug',
      '../x: invalid_path',
      '.env: blocked_path',
      'OK.txt: invalid_path',
      'big: too_large',
      'too_large',
    ]);
    for (const { message } of body.problems) expect(message).toMatch(/\S/);
    expect(codes((await ask({ slug: '-a', files: [] }).expect(200)).body)).toEqual(['invalid_slug', 'no_files']);
  });

  it('file counts and path lengths have the same limits as for a deploy', async () => {
    const path = (n: number) => `${`${'x'.repeat(254)}/`.repeat(3)}${`${n}`.padStart(255, 'y')}`;
    const files = Array.from({ length: 20_000 }, (_, n) => ({ path: path(n), size: 0, sha256: sha256(`${n}`) }));
    expect(files[0]!.path.length).toBe(1020);
    const { body } = await ask({ files }).expect(200);
    expect(body).toMatchObject({ ok: true, problems: [] });
    expect(body.missing).toHaveLength(20_000);

    const { body: more } = await ask({ files: [...files, file('index.html', 'x')] }).expect(200);
    expect(more).toMatchObject({ ok: false, missing: [] });
    expect(codes(more)).toEqual(['too_many_files']);
  }, 120_000);

  describe('an invalid request body', () => {
    const good = file('index.html', 'x');
    it.each<[string, unknown, string]>([
      ['a missing list', {}, 'files'],
      ['a list of another type', { files: { length: 1 } }, 'files'],
      ['a list of nulls', { files: [null] }, 'files[0]'],
      ['a missing path', { files: [good, { size: 1, sha256: good.sha256 }] }, 'files[1].path'],
      ['a numeric path', { files: [{ ...good, path: 5 }] }, 'files[0].path'],
      ['a size that is a string', { files: [{ ...good, size: '5' }] }, 'files[0].size'],
      ['a negative size', { files: [{ ...good, size: -1 }] }, 'files[0].size'],
      ['a fractional size', { files: [{ ...good, size: 0.5 }] }, 'files[0].size'],
      ['a size beyond the safe integers', { files: [{ ...good, size: 1e300 }] }, 'files[0].size'],
      ['an invalid digest', { files: [{ ...good, sha256: 'abc' }] }, 'files[0].sha256'],
      ['an uppercase digest', { files: [{ ...good, sha256: good.sha256.toUpperCase() }] }, 'files[0].sha256'],
      ['a digest with a trailing line feed', { files: [{ ...good, sha256: `${good.sha256}\n` }] }, 'files[0].sha256'],
      ['an unknown field', { files: [{ ...good, content: 'x' }] }, 'files[0].content'],
      ['an unknown field of the body', { files: [good], user: 'me' }, 'user'],
      ['a slug that is a list', { files: [good], slug: ['a'] }, 'slug'],
      ['a numeric version', { files: [good], cliVersion: 1 }, 'cliVersion'],
      ['a size that is a list', { files: [{ ...good, size: [1] }] }, 'files[0].size'],
      ['a null size', { files: [{ ...good, size: null }] }, 'files[0].size'],
      ['a repeated field', '{"files":[],"files":[]}', 'files'],
      ['a very long slug', { slug: 'a'.repeat(5000), files: [good] }, 'slug'],
      ['data after the end', '{"files":[]} {}', ''],
      ['20,000 empty files', { files: Array(20_000).fill({}) }, 'files[0].path'],
      ['a list as the body', [good], ''],
      ['JSON nested 10,000 deep', `{"files":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'files[0]'],
      ['null as the body', 'null', ''],
      ['invalid JSON', '{"files":', ''],
    ])('%s is refused, and the error names the field', async (_, body, path) => {
      const answer = await stele.api
        .post('/v1/cli/preflight')
        .type('json')
        .send(typeof body === 'string' ? body : JSON.stringify(body));
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.path]).toEqual([400, 'invalid_request', path]);
      await ask({ files: [good] }).expect(200);
    });

    it('a missing body and a body of another type are refused', async () => {
      const post = () => stele.api.post('/v1/cli/preflight');
      expect((await post().type('json').expect(400)).body.code).toBe('invalid_request');
      expect((await post().expect(415)).body.code).toBe('unsupported_media_type');
      expect((await post().type('html').send('<p>').expect(415)).body.code).toBe('unsupported_media_type');
    });

    it('an oversized body is refused before it is sent', async () => {
      const headers = { 'content-type': 'application/json', 'content-length': 25 * 1024 * 1024 };
      const endless = request(`${stele.base}/v1/cli/preflight`, { method: 'POST', headers });
      endless.on('error', () => {}).write('{');
      const [answer] = (await once(endless, 'response')) as [IncomingMessage];
      expect([answer.statusCode, JSON.parse(await text(answer)).code]).toEqual([413, 'too_large']);
      endless.destroy();
    });
  });
});
