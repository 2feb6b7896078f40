// needs: git

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalCodes } from '../../../src/kernel/refusals.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { newRunId } from '../../support/sites/runs.js';

describe('Pages that people open first', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    temporary = await temporaryFolder('first-pages');
    // Nothing listens on this port, so jobs fail and their sites have no deploy.
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: '127.0.0.1:9' } });
    ann = await signIn(stele, 'ann@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const open = (path: string) => stele.raw.get(path).set('accept', 'text/html');
  const deployNothing = async () =>
    (
      await stele.api
        .post('/v1/repo/deploy')
        .set(ann.bearer)
        .send({ url: 'http://127.0.0.1:9/nothing.git' })
        .expect(200)
    ).body;
  const makePrivate = (slug: string) =>
    stele.api.post(`/v1/sites/${slug}/access`).set(ann.bearer).send({ visibility: 'members' }).expect(200);

  it.each(refusalCodes)('/errors/%s explains the error code', async (code) => {
    const { body } = await stele.api.get(`/errors/${code}`).expect(200);
    expect(body.detail).toMatch(/\.$/);
    const { text, headers } = await open(`/errors/${code}`).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("style-src 'self'");
    for (const words of [body.title, body.detail, body.suggestion ?? '', code])
      expect(text).toContain(words.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'));
  });

  it('/errors/ reports an unknown error code', async () => {
    const { text } = await open('/errors/nonsense').expect(404);
    expect(text).toContain('“nonsense” is not a known error code.');
  });

  it('the host of a site without a deploy shows that nothing has been published', async () => {
    const { slug } = await deployNothing();
    for (const path of ['/', '/some/page']) {
      const { status, text } = await stele.visit(slug, path);
      expect([status, /<h1>(.*)<\/h1>/.exec(text)?.[1]]).toEqual([404, 'Nothing published yet']);
      expect(text).toContain('its first deploy has not finished or has failed');
    }
    expect((await stele.visit('never-heard-of')).text).toContain('There is no site here');
  });

  it('the pages of a site without a deploy link to its latest job, which only members of the site can open', async () => {
    const { slug, jobId } = await deployNothing();
    for (const { text } of [await stele.visit(slug, '/'), await open(`/s/${slug}/`)]) {
      const [, base, path = ''] = /href="(http:\/\/localhost:\d+)(\/sites\/[^"]+)"/.exec(text) ?? [];
      expect(base).toBe(`http://localhost:${stele.port}`);
      await open(path).set(ann.bearer).expect(303).expect('location', `/jobs/${jobId}`);
      await open(path)
        .set((await signIn(stele, 'stranger@example.org')).bearer)
        .expect(403);
      const signedOut = await open(path).expect(401);
      expect(signedOut.text).toContain('<a href="/sign-in">Sign in</a>');
      expect(signedOut.headers['set-cookie']).toEqual([expect.stringContaining(`stele_return=${path};`)]);
    }
  });

  it('the page of an anonymous site without a deploy has no link, which would reveal the ID of its job', async () => {
    const url = 'http://127.0.0.1:9/nothing.git';
    const { slug } = (await stele.api.post('/v1/repo/deploy').send({ url }).expect(200)).body;
    const { text } = await stele.visit(slug, '/');
    expect(text).toContain('its first deploy has not finished or has failed');
    expect(text).not.toContain('href');
    await open(`/sites/${slug}/jobs/latest`).expect(401);
  });

  it.each<[string, (site: { slug: string; jobId: string }) => string]>([
    ['its job', ({ jobId }) => `/jobs/${jobId}`],
    ['the log of its job', ({ jobId }) => `/jobs/${jobId}/log`],
    ['its log', ({ slug }) => `/sites/${slug}/logs`],
  ])('a signed-out owner of a private site is offered sign-in, which returns to %s', async (_, pathOf) => {
    const site = await deployNothing();
    await makePrivate(site.slug);
    const path = pathOf(site);
    const missing = pathOf({ slug: 'never-heard-of', jobId: `job_${'0'.repeat(26)}` });
    for (const each of [path, missing]) {
      const { text, headers } = await open(each).expect(404);
      expect(text).toContain('<a href="/sign-in">sign in</a>');
      expect(headers['set-cookie']).toEqual([expect.stringContaining(`stele_return=${each};`)]);
    }
    const { text, headers } = await open(path).set(ann.bearer).expect(200);
    expect(text).not.toContain('href="/sign-in"');
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('under /s/, private and missing sites show the same page, which offers sign-in', async () => {
    const { slug } = await deployNothing();
    await makePrivate(slug);
    const shown = async (of: string) => {
      const { status, text } = await open(`/s/${of}/`);
      return [status, text.replaceAll(of, 'SLUG')];
    };
    expect(await shown(slug)).toEqual(await shown('never-heard-of'));
    expect((await open(`/s/${slug}/`)).text).toContain(`<a href="http://localhost:${stele.port}/visit?at=${slug}">`);
    await open(`/visit?at=${slug}`).expect(303).expect('location', '/sign-in');
  });

  it('before a command-line run starts, its page says that it is waiting for the command', async () => {
    const { text } = await open(`/runs/${newRunId()}`).expect(200);
    expect(text).toContain('Waiting for the command to start');
  });
});
