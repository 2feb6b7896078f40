import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const members = [
  { path: 'site/index.html', content: '<h1>hello</h1>' },
  { path: 'site/css/a.css', content: 'a {}' },
  { path: 'site/.DS_Store', content: 'junk' },
];

describe('Request bodies of a deploy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('bodies');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const post = (type: string, body: Buffer | string) => stele.api.post('/v1/deploy').type(type).send(body);
  const merge = ({ slug, editToken }: { slug: string; editToken: string }, files: unknown) =>
    stele.api
      .patch('/v1/deploy')
      .query({ slug, mode: 'merge' })
      .set('x-svc-edit-token', editToken)
      .send({ files } as object);
  const pathsOf = async ({ slug, editToken }: { slug: string; editToken: string }) => {
    const { body } = await stele.api.get(`/v1/sites/${slug}/files`).set('x-svc-edit-token', editToken).expect(200);
    return (body.items as { path: string }[]).map(({ path }) => path);
  };

  it.each([
    ['application/zip', () => zipOf(members)],
    ['application/x-zip-compressed', () => zipOf(members)],
    ['application/gzip', () => tarGzOf(members)],
    ['application/x-gzip', () => tarGzOf(members)],
    ['application/x-tar+gzip', () => tarGzOf(members)],
  ])('files can be sent as %s; their common top-level folder is removed', async (type, archive) => {
    const { body } = await post(type, archive()).expect(200);
    const warnings = [
      { file: 'site/', message: expect.stringContaining('removed from their paths') },
      { file: '.DS_Store', message: expect.any(String) },
    ];
    expect(body).toMatchObject({ files: 2, bytes: 18, warnings });
    expect((await stele.visit(body.slug, '/css/a.css').expect(200)).text).toBe('a {}');
    expect(await pathsOf(body)).toEqual(['css/a.css', 'index.html']);
  });

  it('the same files produce the same digest in every format', async () => {
    const files = members.slice(0, 2).map(({ path, content }) => ({ path: path.slice('site/'.length), content }));
    const form = stele.api.post('/v1/deploy');
    for (const { path, content } of files) form.attach('files', Buffer.from(content), { filepath: path } as never);
    const answers = [
      await post('application/zip', zipOf(members)),
      await post('application/gzip', tarGzOf(members)),
      await post('json', JSON.stringify({ files })),
      await form,
    ];
    expect(new Set(answers.map(({ body }) => body.digest)).size).toBe(1);
  });

  it('a merge adds files to those of the live deploy', async () => {
    const { body: site } = await post('application/zip', zipOf(members)).expect(200);
    const { body } = await merge(site, [
      { path: 'new.txt', content: 'new' },
      { path: 'css/a.css', delete: true },
      { path: 'copy.html', sha256: hash('sha256', '<h1>hello</h1>') },
    ]).expect(200);
    expect(body).toMatchObject({ files: 3, warnings: [] });
    expect(await pathsOf(site)).toEqual(['copy.html', 'index.html', 'new.txt']);
  });

  it('a merge keeps the top-level folder of an archive', async () => {
    const { body: site } = await post('html', '<h1>home</h1>').expect(200);
    const docs = [
      { path: 'docs/a.html', content: 'a' },
      { path: 'docs/index.html', content: 'docs' },
    ];
    for (const [type, archive] of [
      ['application/zip', zipOf(docs)],
      ['application/gzip', tarGzOf(docs)],
    ] as const) {
      const sent = stele.api.patch('/v1/deploy').query({ slug: site.slug, mode: 'merge' }).type(type);
      const { body } = await sent.set('x-svc-edit-token', site.editToken).send(archive).expect(200);
      expect(body).toMatchObject({ files: 3, warnings: [] });
      expect(await pathsOf(site)).toEqual(['docs/a.html', 'docs/index.html', 'index.html']);
    }
  });

  it('an archive’s only folder is kept if that folder has no index page', async () => {
    const { body } = await post('application/zip', zipOf([{ path: 'docs/a.html', content: 'a' }])).expect(200);
    expect(await pathsOf(body)).toEqual(['docs/a.html']);
    expect(body.warnings).toEqual([{ file: 'index.html', message: expect.any(String) }]);
  });

  it('knowing the digest of another site’s file does not give access to the file’s content', async () => {
    await post('html', '<p>theirs</p>').expect(200);
    const { body: mine } = await post('html', '<p>mine</p>').expect(200);
    const entry = { path: 'stolen.html', sha256: hash('sha256', '<p>theirs</p>') };
    expect((await merge(mine, [entry]).expect(422)).body).toMatchObject({
      code: 'blob_missing',
      errors: [{ path: 'files[0].sha256' }],
    });
    const fresh = await post('json', JSON.stringify({ files: [entry] })).expect(422);
    expect(fresh.body.code).toBe('blob_missing');
  });

  it('a file that contains a secret key causes a warning', async () => {
    const { body } = await post('html', `<script>\nkey = "AKIA${'QWERTYUIOPASDFGH'}"</script>`).expect(200);
    expect(body.warnings).toEqual([{ file: 'index.html', line: 2, message: expect.stringContaining('AWS') }]);
  });

  it.each(['application/json', 'text/html', 'multipart/form-data; boundary=x', 'application/zip', 'application/gzip'])(
    'a body whose announced size exceeds the limit is refused before it is sent: %s',
    async (type) => {
      const socket = createConnection(stele.port, '127.0.0.1');
      const head = [
        'POST /v1/deploy HTTP/1.1',
        'host: localhost',
        `content-type: ${type}`,
        'content-length: 999999999',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
      socket.destroy();
    },
  );
});
