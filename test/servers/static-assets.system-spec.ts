// needs: database, git, bubblewrap

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/servers.contract.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const YEAR = 'public, max-age=31536000, immutable';
const SAYS = server(`return 'the server was asked for ' + path;`);
const long = 'x'.repeat(600_000);
/** A path that is too long for a tar header. */
const deep = `chunks/${'deep/'.repeat(60)}0a1b2c3d4e5f.js`;

describe('Static files of a Next.js server', () => {
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;
  beforeAll(async () => {
    temporary = await serversFolder('assets');
    const env = { STELE_SERVER_IDLE: '2', STELE_BUILDER: 'bubblewrap' };
    stele = await startWithServers({ folder: temporary.folder, env });
    const first = {
      'chunks/first-1a2b3c4d5e.js': 'first()',
      'media/a b.1a2b3c4d.svg': '<svg/>',
      'chunks/same.css': 'one',
    };
    await stele.publish('with-assets', 'next', await standaloneOutput(SAYS, first));
    const second = {
      ...{
        'chunks/second-1a2b3c4d5e.js': `second(${' '.repeat(5_000)})`,
        'chunks/same.css': 'two',
        'chunks/empty.js': '',
        'chunks/0_x~9-b.js': 'b',
        'build-1a2b3c4d5e/_buildManifest.js': 'm',
      },
      ...{ 'media/long-1a2b3c4d5e.woff2': long, [deep]: 'deep()' },
    };
    await stele.publish('with-assets', 'next', await standaloneOutput(SAYS, second));
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary?.remove();
  }, 60_000);

  const at = (path: string) => stele.visit('with-assets', `/_next/static/${path}`);

  it('static files are served from storage, and can be cached for a year if their name contains a content hash', async () => {
    for (let n = 0; n < 3; n++) {
      const { headers, text } = await at('chunks/second-1a2b3c4d5e.js').expect(200);
      expect(text.length).toBe(5_008);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': YEAR,
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[0-9a-f]{32}/),
      });
      await at('chunks/second-1a2b3c4d5e.js').set('if-none-match', String(headers.etag)).expect(304);
    }
    const cached = async (path: string) => (await at(path).expect(200)).headers['cache-control'];
    expect(await cached('chunks/0_x~9-b.js')).toBe(YEAR);
    // Neither file is cached for a year: the content of same.css has changed before, and _buildManifest.js has no hash
    // in its own name, only a build ID in that of its folder.
    for (const path of ['chunks/same.css', 'build-1a2b3c4d5e/_buildManifest.js'])
      expect(await cached(path)).toBe('public, max-age=0, must-revalidate');
    expect((await at(deep).expect(200)).text).toBe('deep()');
    expect((await at('chunks/empty.js').expect(200)).text).toBe('');
  });

  it('static files are compressed, and support ranges, like other files', async () => {
    const ask = rawRequestsTo(stele.port, `with-assets.localhost:${stele.port}`);
    const zipped = await ask('/_next/static/chunks/second-1a2b3c4d5e.js', { 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body).length).toBe(5_008);
    const font = '/_next/static/media/long-1a2b3c4d5e.woff2';
    const part = await ask(font, { range: 'bytes=599990-' });
    expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 599990-599999/600000']);
    expect(String(part.body)).toBe('x'.repeat(10));
    expect(String((await ask(font)).body)).toBe(long);
  });

  it('static files of an earlier live deploy remain available for pages that are still open', async () => {
    expect((await at('chunks/first-1a2b3c4d5e.js').expect(200)).text).toBe('first()');
    expect((await at('media/a%20b.1a2b3c4d.svg').expect(200)).headers['content-type']).toBe('image/svg+xml');
    expect((await at('chunks/same.css').expect(200)).text).toBe('two');
  });

  it('requests for static files do not start the server, but requests for other paths do', async () => {
    expect((await at('none-1a2b3c4d5e.js').expect(200)).text).toContain('the server was asked for /_next/static/none');
    expect((await stele.visit('with-assets', '/_next/static/../x').expect(200)).text).toContain('the server was asked');
    const state = async () => (await stele.api.get('/v1/sites/with-assets').expect(200)).body.server.state;
    while ((await state()) !== 'sleeping');
    await at('chunks/second-1a2b3c4d5e.js').expect(200);
    expect(await state()).toBe('sleeping');
  }, 30_000);

  it('static files are protected by the site’s access rules', async () => {
    const access = { visibility: 'password', password: 'open sesame' };
    await stele.api.post('/v1/sites/with-assets/access').set(stele.bearer).send(access).expect(200);
    const { status, text } = await at('chunks/second-1a2b3c4d5e.js').redirects(0);
    expect([status, text]).toEqual([401, expect.not.stringContaining('second(')]);
  });
});
