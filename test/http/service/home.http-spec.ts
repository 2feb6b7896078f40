import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('The home page', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let text: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('home');
    stele = await sharedStele({ folder: temporary.folder });
    const page = await stele.raw.get('/').set('accept', 'text/html').expect(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    text = page.text;
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the home page shows a command that publishes a page, with this service’s address', async () => {
    const [, line = ''] = /<pre[^>]*>(curl -X POST[\s\S]*?)<\/pre>/.exec(text) ?? [];
    expect(line).toContain(`curl -X POST http://localhost:${stele.port}/v1/deploy -H 'content-type: text/html'`);
    const [, type = '', body = ''] = /-H '([^']*)' --data-binary '([^']*)'/.exec(decoded(line)) ?? [];
    const head = `POST /v1/deploy HTTP/1.1\r\nhost: localhost:${stele.port}\r\n${type}\r\ncontent-length: ${body.length}`;
    const { status } = await sendRaw(stele.port, `${head}\r\nconnection: close\r\n\r\n${body}`);
    expect(status).toBe(200);
  });

  it('the home page links to the sign-in page, and only to documents that exist', async () => {
    const paths = [...text.matchAll(/<a href="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(paths).toEqual(expect.arrayContaining(['/sign-in', '/llms.txt', '/openapi.json', '/v1/limits', '/health']));
    for (const path of paths) expect([path, (await stele.raw.get(path)).status]).toEqual([path, 200]);
  });
});

const decoded = (markup: string) =>
  markup.replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
