// needs: database, git, bubblewrap, chromium, containers, busybox

import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';
import { importBase } from '../support/builds/images-under-test.js';
import { additions, createNextApp, inContainer, treeOf } from '../support/servers/create-next-app.js';
import { SteadyVisits } from '../support/servers/steady-visits.js';
import { serversFolder } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';
import { type Stele, startStele } from '../support/service/stele.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

const SCRIPTS = '[...document.scripts].map(({ src }) => src).filter(Boolean)';
const SHOWN = `(({ complete, naturalWidth, currentSrc }) => [complete, naturalWidth, currentSrc])(document.querySelector('[alt="A picture"]'))`;

const BASE = 'localhost/stele-test-next';
const run = promisify(execFile);

describe('The output of create-next-app', () => {
  let folder: string;
  let app: Tree;
  let engine: EngineUnderTest;
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: Stele;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-next-app-'));
    await createNextApp(folder);
    app = await treeOf(join(folder, 'app'));
    engine = await containerEngine();
    host = await GitHost.open();
    temporary = await serversFolder('next-app');
    browser = await openBrowser();
    const env = {
      ...engine.env,
      STELE_BUILDER: 'auto',
      ...{
        STELE_REPO_HOSTS: host.listed,
        STELE_BUILD_HOSTS: 'registry.npmjs.org',
        STELE_IMAGE_REGISTRIES: 'localhost',
      },
    };
    stele = await startStele({ folder: temporary.folder, env });
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await host?.close();
    await engine?.close();
    await temporary?.remove();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function deployed(name: string, tree: Tree, slug?: string, token = {}) {
    host.commit(name, tree);
    const asked = { url: host.url(name), ...(slug !== undefined && { slug }) };
    const { body } = await stele.api.post('/v1/repo/deploy').set(token).send(asked).expect(200);
    const job = await jobOver(stele, body.jobId, {}, 400_000);
    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    if (job.status !== 'succeeded') throw new Error(JSON.stringify({ ...job, lines: lines.slice(-40) }));
    return { job, slug: body.slug as string, token: { 'x-svc-edit-token': body.editToken as string } };
  }

  /** Sends a plain request to a site's host, because only browsers resolve names below `localhost`. */
  const ask = (slug: string, path: string, headers = {}) =>
    rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`)(path, headers);
  const pathIn = (url: unknown) => String(url).replace(/^https?:\/\/[^/]+/, '');
  async function until(slug: string, version: string) {
    while (!String((await ask(slug, '/')).body).includes(`data-version="${version}"`));
  }

  const at = (slug: string, path: string) => `http://${slug}.localhost:${stele.port}${path}`;

  async function opened(url: string) {
    const page = await browser.newPage();
    const failed: string[] = [];
    const said: string[] = [];
    page.on('response', (answer) => answer.status() >= 400 && failed.push(`${answer.status()} ${answer.url()}`));
    page.on('pageerror', (error) => said.push(String(error)));
    await page.goto(url, { waitUntil: 'commit' });
    return { page, failed, said };
  }

  async function works(slug: string, version: string) {
    const home = await opened(at(slug, '/'));
    await home.page.locator(`html[data-version=${version}]`).waitFor();
    await home.page.getByAltText('Next.js logo').waitFor();

    const streamed = await opened(at(slug, '/streamed'));
    await streamed.page.locator('#waiting').waitFor();
    expect(await streamed.page.locator('#early').textContent()).toBe('early');
    await streamed.page.locator('#late').waitFor();

    const acting = await opened(at(slug, '/action'));
    await acting.page.getByRole('textbox').fill('Ann');
    await acting.page.getByRole('button').click();
    await acting.page.getByText(`Hello Ann from ${version}`).waitFor();

    const all = [home, streamed, acting];
    expect(all.flatMap(({ failed, said }) => [...failed, ...said])).toEqual([]);
    await Promise.all(all.map(({ page }) => page.close()));
  }

  it('the site can be deployed, redeployed and rolled back while it receives twenty visits a second', async () => {
    const first = await deployed('app', { ...app, ...additions('one') });
    const { slug, token } = first;
    await works(slug, 'one');

    const pictured = await opened(at(slug, '/picture'));
    const picture = pictured.page.getByAltText('A picture');
    await picture.waitFor();
    const shown = () => pictured.page.evaluate<[boolean, number, string]>(SHOWN);
    while (!(await shown())[0]);
    const [, width, source] = await shown();
    expect(String(source)).toContain('/_next/image?url=%2Fpicture.png');
    expect(width).toBeGreaterThan(0);
    const optimised = await ask(slug, pathIn(source), { accept: 'image/webp' });
    expect(optimised.headers['content-type']).toBe('image/webp');
    expect([...pictured.failed, ...pictured.said]).toEqual([]);

    // A page that was opened before another deploy went live can still load its assets.
    const open = await opened(at(slug, '/'));
    const scripts = await open.page.evaluate<string[]>(SCRIPTS);
    expect(scripts.length).toBeGreaterThan(2);
    for (const script of scripts)
      expect((await ask(slug, pathIn(script))).headers['cache-control']).toBe('public, max-age=31536000, immutable');

    const site = `${slug}.localhost:${stele.port}`;
    const visits = ['/', '/streamed', pathIn(scripts[0])].map(
      (path) => new SteadyVisits(stele.port, site, path, ({ status }) => status === 200, path === '/' ? 50 : 500),
    );
    await deployed('app', { ...app, ...additions('two') }, slug, token);
    await works(slug, 'two');
    for (const script of scripts) expect((await ask(slug, pathIn(script))).status).toBe(200);
    await deployed('app', { ...app, ...additions('three') }, slug, token);
    await works(slug, 'three');
    const began = performance.now();
    await stele.api.post(`/v1/sites/${slug}/rollback`).set(token).send({ deployId: first.job.deployId }).expect(200);
    await until(slug, 'one');
    console.log(`Rolled back in ${Math.round(performance.now() - began)} ms.`);
    await works(slug, 'one');
    expect(await Promise.all(visits.map((each) => each.end()))).toEqual([[], [], []]);
    for (const { count, slowestMs } of visits) console.log(`${count} visits, the slowest ${Math.round(slowestMs)} ms`);
  }, 900_000);

  it('WebSockets work on a site with its own Dockerfile, even after a redeploy and a rollback', async () => {
    const modules = join(folder, 'installed');
    await cp(join(folder, 'app'), modules, { recursive: true });
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: modules });
    await importBase(engine.env, BASE, { 'app/node_modules': join(modules, 'node_modules') });
    await importBase(engine.env, `${BASE}-empty`, {});
    const tree = (version: string) => ({ ...app, ...additions(version), ...inContainer(BASE) });
    const first = await deployed('talks', tree('one'));
    const { slug, token } = first;

    const talks = async (version: string) => {
      await works(slug, version);
      const { page, failed, said } = await opened(at(slug, '/talking'));
      await page.getByText('echo hello').waitFor();
      expect([...failed, ...said]).toEqual([]);
      await page.close();
    };
    await talks('one');
    const visits = new SteadyVisits(stele.port, `${slug}.localhost:${stele.port}`, '/');
    await deployed('talks', tree('two'), slug, token);
    await talks('two');
    await stele.api.post(`/v1/sites/${slug}/rollback`).set(token).send({ deployId: first.job.deployId }).expect(200);
    await until(slug, 'one');
    await talks('one');
    expect(await visits.end()).toEqual([]);
    console.log(`${visits.count} visits, the slowest ${Math.round(visits.slowestMs)} ms`);
  }, 900_000);
});
