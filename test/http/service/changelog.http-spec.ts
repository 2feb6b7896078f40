import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('The changelog', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let file: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('changelog');
    stele = await sharedStele({ folder: temporary.folder });
    file = await readFile('CHANGELOG.md', 'utf8');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the changelog is served as the original Markdown file', async () => {
    const { text } = await stele.api
      .get('/v1/changelog.md')
      .expect(200)
      .expect('content-type', 'text/markdown; charset=utf-8');
    expect(text).toBe(file);
  });

  it('the changelog is served as structured data', async () => {
    const { body } = await stele.api.get('/v1/changelog').expect(200);
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(
      [...file.matchAll(/^## \[([^\]]+)\]/gm)].map(([, version]) => version),
    );
    expect(body.versions[0]).toMatchObject({ version: 'Unreleased', date: null });
    const entries = body.versions.flatMap(({ changes }: { changes: object }) => Object.values(changes).flat());
    expect(entries).toHaveLength([...file.matchAll(/^- /gm)].length);
  });

  it('the changelog is served as an RSS feed that contains the feed’s own address', async () => {
    const { text } = await stele.raw
      .get('/v1/changelog.rss')
      .buffer(true)
      .parse((response, done) => {
        let all = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => (all += piece));
        response.on('end', () => done(null, all));
      })
      .expect(200)
      .expect('content-type', 'application/rss+xml; charset=utf-8')
      .then(({ body }) => ({ text: body as string }));
    expect(text).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\s*<rss version="2.0"/);
    expect(text).toContain(`href="http://localhost:${stele.port}/v1/changelog.rss"`);
  });
});
