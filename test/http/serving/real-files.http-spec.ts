import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tarGzOf, zipOf } from '../../support/content/archives.js';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Content = string | Buffer;

describe('Files, archives and rules from real sites', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('real-files');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  async function site(slug: string, given: Readonly<Record<string, Content>>) {
    const files = Object.entries(given).map(([path, content]) => ({
      path,
      content: Buffer.from(content).toString('base64'),
      encoding: 'base64',
    }));
    const { body } = await stele.api.post(`/v1/deploy?slug=${slug}`).send({ files }).expect(200);
    return body as { warnings: { file: string; line?: number; message: string }[]; editToken: string };
  }
  const get = (slug: string, path: string) => stele.visit(slug, path).redirects(0);
  const upload = (slug: string, type: string, body: Buffer) =>
    stele.api.post(`/v1/deploy?slug=${slug}`).set('content-type', type).send(body);

  it('headers below an invalid path in _headers do not apply to the previous path', async () => {
    const { warnings } = await site('real-headers', {
      'index.html': 'home',
      'app.js': 'js()',
      _headers:
        '/*\n  X-Frame-Options: DENY\n*.js\n  Cache-Control: public, max-age=31536000, immutable\nadmin/*\n  X-Robots-Tag: none\n  Content-Disposition: attachment\n',
    });
    const home = await get('real-headers', '/').expect(200);
    expect(home.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'public, max-age=0, must-revalidate',
    });
    expect(home.headers).not.toHaveProperty('content-disposition');
    expect(warnings.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      expect.stringMatching(/^_headers:3 .*a path must begin with \/, such as \/\*\.js/),
      expect.stringMatching(/^_headers:5 .*a path must begin with \//),
    ]);
  });

  it('only files whose names contain a build tool’s content hash are cached as immutable', async () => {
    const ordinary = ['screenshot1.png', 'background2.css', 'config2prod.js', 'hero-1920x1080.jpg', 'IMG20240101.jpg'];
    const hashed = ['assets/index-DiwrgTda.css', 'main-TKFUKZQG.js', 'main-DMcx_nWD.js'];
    await site('real-names', Object.fromEntries(['index.html', ...ordinary, ...hashed].map((path) => [path, path])));
    for (const path of ordinary)
      expect((await get('real-names', `/${path}`)).headers['cache-control']).toContain('must-revalidate');
    for (const path of hashed)
      expect((await get('real-names', `/${path}`)).headers['cache-control']).toContain('immutable');
  });

  it('a deploy skips redirects that are endless or have no effect, and warns about them', async () => {
    const { warnings } = await site('real-redirects', {
      'about.html': 'about',
      'x/index.html': 'x',
      'index.html': 'home',
      _redirects: '/about /x 301\n/a /b\n/a /c\n/s /s\n/g /nowhere.html 200\n/x/ /x 301!\n/* /en/:splat 301\n',
    });
    expect(warnings.map(({ file, line }) => `${file}:${line}`)).toEqual(
      [1, 3, 4, 5, 6, 7].map((line) => `_redirects:${line}`),
    );
    await get('real-redirects', '/x/').expect(200, 'x');
    await get('real-redirects', '/nothing').expect(404);
    await get('real-redirects', '/about/').expect(308).expect('location', '/about');
  });

  it('rules for a missing file don’t change the content type and caching of the page shown in its place', async () => {
    await site('real-rewrites', {
      'index.html': 'app',
      '404.html': 'not here',
      _redirects: '/app/* /index.html 200\n/assets/* /index.html 200\n',
      _headers:
        '/*.wasm\n  Content-Type: application/wasm\n/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n',
    });
    await get('real-rewrites', '/missing.wasm')
      .expect(404)
      .expect('content-type', /^text\/html/);
    await get('real-rewrites', '/assets/index-DiwrgTda.js').expect(404);
    const page = await get('real-rewrites', '/assets/old-chunk.js').expect(200);
    expect(page.headers['cache-control']).not.toContain('immutable');
  });

  it('a single-page app is shown at a path with a dot if a browser navigates to that path', async () => {
    const { editToken } = await site('real-spa', { 'index.html': 'app' });
    await stele.api
      .post('/v1/sites/real-spa/capabilities')
      .set('x-svc-edit-token', editToken)
      .send({ name: 'spa', enabled: true })
      .expect(200);
    const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const opened = await get('real-spa', '/activate/user@example.org').set('accept', html).expect(200);
    expect(opened.headers.vary).toContain('accept');
    await get('real-spa', '/activate/user@example.org').set('accept', '*/*').expect(404);
    await get('real-spa', '/app.js').set('accept', html).expect(404);
  });

  it('precompressed files are sent with a content-encoding', async () => {
    const script = Buffer.from('console.log("hello");\n'.repeat(200));
    await site('real-encodings', {
      'index.html': 'game',
      'a.svgz': gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'g.js.gz': gzipSync(script),
      'g.wasm.br': brotliCompressSync(script),
      'g.data.unityweb': gzipSync(script),
      'rows.csv.gz': gzipSync('a,b'),
      'sitemap.xml.gz': gzipSync('<x/>'),
      'set.csv.gz': gzipSync('a,b'),
      'plain.js.gz': 'not compressed',
      _headers: '/set.csv.gz\n  Content-Encoding: gzip\n',
    });
    const encodings = new Map<string, unknown>();
    for (const path of [
      ...['a.svgz', 'g.js.gz', 'g.wasm.br', 'g.data.unityweb'],
      ...['rows.csv.gz', 'sitemap.xml.gz', 'set.csv.gz', 'plain.js.gz'],
    ]) {
      const { text } = await sendRaw(
        stele.port,
        `HEAD /${path} HTTP/1.1\r\nhost: real-encodings.localhost:${stele.port}\r\naccept-encoding: gzip, br\r\nconnection: close\r\n\r\n`,
      );
      const field = (name: string) => new RegExp(`^${name}: (.*?)\r$`, 'im').exec(text)?.[1];
      encodings.set(path, [field('content-encoding'), field('content-type')]);
    }
    expect(Object.fromEntries(encodings)).toEqual({
      'a.svgz': ['gzip', 'image/svg+xml'],
      'g.js.gz': ['gzip', 'text/javascript; charset=utf-8'],
      'g.wasm.br': ['br', 'application/wasm'],
      'g.data.unityweb': ['gzip', 'application/octet-stream'],
      'rows.csv.gz': [undefined, 'application/gzip'],
      'sitemap.xml.gz': [undefined, 'application/gzip'],
      'set.csv.gz': ['gzip', 'text/csv; charset=utf-8'],
      'plain.js.gz': [undefined, 'application/gzip'],
    });
  });

  it('pages in other charsets are sent with the right charset', async () => {
    await upload('real-latin', 'text/html; charset=iso-8859-1', Buffer.from('<p>\xe4', 'latin1')).expect(200);
    await get('real-latin', '/').expect('content-type', 'text/html; charset=utf-8').expect('<p>ä');
    await upload('real-latin-2', 'text/html; charset=klingon', Buffer.from('x')).expect(415);
    const japanese = Buffer.concat([Buffer.from('<meta charset=shift_jis>'), Buffer.from([0x93, 0xfa])]);
    await site('real-japanese', { 'index.html': japanese });
    await get('real-japanese', '/').expect('content-type', 'text/html; charset=shift_jis');
  });

  it('archives from Debian, macOS and Windows are read correctly', async () => {
    const zip = zipOf([
      { path: 'index.html', content: 'home', flags: 0 },
      { path: 'é.html', content: 'accent', flags: 0 },
      { path: '画像.png', content: 'picture', flags: 0 },
    ]);
    expect((await upload('real-zip', 'application/zip', zip).expect(200)).body.warnings).toEqual([]);
    await get('real-zip', '/%C3%A9.html').expect(200, 'accent');

    const windows = zipOf([
      { path: 'index.html', content: 'home', flags: 0, maker: 0 },
      { path: 'css\\a.css', content: 'a{}', flags: 0, maker: 0 },
    ]);
    const { body } = await upload('real-windows', 'application/zip', windows).expect(200);
    expect(body.warnings).toEqual([{ file: 'css/a.css', message: expect.stringContaining('backslashes') }]);
    await get('real-windows', '/css/a.css').expect(200, 'a{}');

    const links = tarGzOf([
      { path: 'a', content: 'x' },
      { path: 'b', type: 'Link', linkpath: 'a' },
    ]);
    const refused = await upload('real-links', 'application/gzip', links).expect(400);
    expect(refused.body).toMatchObject({ suggestion: expect.stringContaining('--hard-dereference') });
    const nested = zipOf([
      { path: 'site/index.html', content: 'home' },
      { path: 'README.md', content: 'x' },
    ]);
    const { body: warned } = await upload('real-nested', 'application/zip', nested).expect(200);
    expect(warned.warnings[0]).toMatchObject({ message: expect.stringContaining('site/index.html') });
  });

  it('extended attributes and system files in an archive are not published', async () => {
    const attributes = Buffer.concat([
      Buffer.from('48 SCHILY.xattr.com.apple.lastuseddate#PS='),
      Buffer.from('\x8d\xe2\xf0\x60\xff', 'latin1'),
      Buffer.from('\n'),
    ]);
    attributes.write(String(attributes.length));
    const body = tarGzOf([
      { path: 'x', type: 'ExtendedHeader', content: attributes },
      { path: 'site/index.html', content: 'home' },
      { path: 'site/Icon\r', content: '' },
      { path: '.Trashes/501/old.html', content: 'x' },
    ]);
    const { body: site } = await upload('real-attributes', 'application/gzip', body).expect(200);
    expect(site.warnings.map(({ file }: { file: string }) => file)).toEqual(['site/', 'Icon\ufffd', '.Trashes/']);
    await get('real-attributes', '/').expect(200, 'home');
  });

  it('an archive sent as HTML is refused, and an archive sent in a form causes a warning', async () => {
    const zip = zipOf([{ path: 'index.html', content: 'home' }]);
    const { body } = await upload('real-zip-page', 'text/html', zip).expect(400);
    expect(body).toMatchObject({ suggestion: expect.stringContaining('application/zip') });
    const part = (path: string) => `--x\r\ncontent-disposition: form-data; name="files"; filename="${path}"\r\n\r\n`;
    const form = Buffer.concat([Buffer.from(part('site.zip')), zip, Buffer.from('\r\n--x--\r\n')]);
    const { body: inForm } = await upload('real-zip-form', 'multipart/form-data; boundary=x', form).expect(200);
    expect(inForm.warnings[0]).toMatchObject({ file: 'site.zip', message: expect.stringContaining('application/zip') });

    const flat = Buffer.from(
      `${part('index.html')}<script src="js/app.js"></script>\r\n${part('app.js')}js()\r\n--x--\r\n`,
    );
    const { body: warned } = await upload('real-flat-form', 'multipart/form-data; boundary=x', flat).expect(200);
    expect(warned.warnings[0]).toMatchObject({ message: expect.stringContaining('filename=js/app.js') });
    const twice = Buffer.from(`${part('a.js')}1\r\n${part('a.js')}2\r\n--x--\r\n`);
    const { body: refused } = await upload('real-twice', 'multipart/form-data; boundary=x', twice).expect(400);
    expect(refused).toMatchObject({ suggestion: expect.stringContaining('curl -F') });
  });

  it('a deploy reads _redirects in UTF-16, and warns about files for other hosting services', async () => {
    await site('real-utf16', {
      'index.html': 'home',
      _redirects: Buffer.from('\ufeff/* /index.html 200\r\n', 'utf16le'),
    });
    await get('real-utf16', '/any').expect(200, 'home');
    const { warnings } = await site('real-vercel', { 'index.html': 'home', 'vercel.json': '{}', '_redirects.txt': '' });
    expect(warnings.map(({ file }) => file)).toEqual(['_redirects.txt', 'vercel.json']);
  });

  it('a caching rule for a file applies at all addresses of that file', async () => {
    await site('real-addresses', {
      'index.html': 'home',
      'about.html': 'about',
      _headers: '/index.html\n  Cache-Control: no-store\n  X-A: 1\n/about\n  X-B: 1\n',
    });
    for (const path of ['/', '/index.html'])
      expect((await get('real-addresses', path).expect(200)).headers['cache-control']).toBe('no-store');
    expect((await get('real-addresses', '/')).headers).not.toHaveProperty('x-a');
    expect((await get('real-addresses', '/about')).headers).toMatchObject({ 'x-b': '1' });
  });

  it('a path with repeated slashes redirects to the file on the same site', async () => {
    await site('real-slashes', { 'index.html': 'home', 'assets/app.js': 'js()', 'docs/index.html': 'docs' });
    await get('real-slashes', '//assets//app.js?v=1').expect(308).expect('location', '/assets/app.js?v=1');
    await get('real-slashes', '/docs//').expect(308).expect('location', '/docs/');
    await get('real-slashes', '//evil.example/docs').expect(404);
    await get('real-slashes', '/go/https://evil.example/assets/app.js').expect(404);
  });

  it('a CORS preflight for a public site allows any request headers', async () => {
    await site('real-preflight', {
      'data.json': '{}',
      'private.json': '{}',
      _headers: '/private.json\n  ! Access-Control-Allow-Origin\n',
    });
    const ask = (path: string) =>
      stele.raw
        .options(path)
        .set('host', `real-preflight.localhost:${stele.port}`)
        .set('origin', 'https://other.example')
        .set('access-control-request-method', 'GET')
        .set('access-control-request-headers', 'content-type');
    const { headers } = await ask('/data.json').expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'content-type',
    });
    expect((await ask('/private.json').expect(204)).headers).not.toHaveProperty('access-control-allow-origin');
    await stele.raw.options('/data.json').set('host', `real-preflight.localhost:${stele.port}`).expect(405);
  });

  it('a folder uploaded with an HTML form is published like an archive', async () => {
    const part = (path: string, content: string) =>
      `--x\r\ncontent-disposition: form-data; name="files"; filename="${path}"\r\n\r\n${content}\r\n`;
    const parts = [
      part('my-site/index.html', 'home'),
      part('my-site/.DS_Store', 'x'),
      part('my-site/css/a.css', 'a{}'),
    ];
    const form = Buffer.from(`${part('', '')}${parts.join('')}--x--\r\n`);
    const { body } = await upload('real-form', 'multipart/form-data; boundary=x', form).expect(200);
    expect(body).toMatchObject({ files: 2 });
    expect(body.warnings.map(({ file }: { file: string }) => file)).toEqual(['my-site/', '.DS_Store']);
    await get('real-form', '/css/a.css').expect(200, 'a{}');
  });

  it('text with lone surrogates and files that contain passwords are refused', async () => {
    const lone = '{"files":[{"path":"index.html","content":"a\\ud800b"}]}';
    const { body } = await stele.api.post('/v1/deploy').set('content-type', 'application/json').send(lone).expect(400);
    expect(body.errors).toEqual([{ path: 'files[0].content', message: expect.stringContaining('surrogate') }]);
    const secret = { files: [{ path: '.htpasswd', content: 'a:b' }] };
    await stele.api
      .post('/v1/deploy')
      .send(secret)
      .expect(400)
      .expect(/blocked_path/);
  });

  it.each([
    ['an unsupported media type', '/v1/deploy', 'content-type: application/x-www-form-urlencoded', 415],
    ['an excessive size', '/v1/deploy', 'content-type: text/html\r\ncontent-length: 99999999999', 413],
    ['a missing site', '/v1/deploy?slug=no-such-site-here', 'content-type: text/html', 404],
  ])('a client that waits for 100 Continue gets the final response for %s', async (_, path, fields, status) => {
    const length = fields.includes('content-length') ? '' : 'content-length: 4\r\n';
    const method = status === 404 ? 'PATCH' : 'POST';
    const answer = await sendRaw(
      stele.port,
      `${method} ${path} HTTP/1.1\r\nhost: localhost:${stele.port}\r\n${fields}\r\n${length}expect: 100-continue\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
  });
});
