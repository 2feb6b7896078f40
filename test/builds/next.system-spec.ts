// needs: database, git, bubblewrap

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storedFile } from '../support/content/stored-content.js';
import { reusablePort } from '../support/service/reusable-port.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

const REGISTRIES = 'registry.npmjs.org';

const project = (title: string, more: Tree = {}, settings: Record<string, unknown> = {}): Tree => ({
  'package.json': JSON.stringify({
    private: true,
    scripts: { build: 'next build' },
    dependencies: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
  }),
  'next.config.mjs': `export default ${JSON.stringify({ images: { unoptimized: true }, ...settings })};`,
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/page.js': `export const dynamic = ${settings.output === 'export' ? "'auto'" : "'force-dynamic'"};
    export default () => <h1>${title}, with {typeof process.env.GREETING}</h1>;`,
  'public/hello.txt': 'Hello',
  ...more,
});

describe('A Next.js repository', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('next');
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'bubblewrap', STELE_BUILD_HOSTS: REGISTRIES };
    stele = await startStele({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  async function deployed(name: string, tree: Tree, more: Record<string, unknown> = {}, token = {}) {
    host.commit(name, tree);
    const asked = { url: host.url(name), ...more };
    const { body } = await stele.api.post('/v1/repo/deploy').set(token).send(asked).expect(200);
    const job = await jobOver(stele, body.jobId, {}, 200_000);
    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    return { job, lines, slug: body.slug as string, token: { 'x-svc-edit-token': body.editToken as string } };
  }

  it('a repository with a static export is published as files', async () => {
    const { job, lines, slug } = await deployed('exported', project('Files', {}, { output: 'export' }));
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(job.steps.map(({ name }) => name)).toEqual(['clone', 'detect', 'install', 'build', 'publish']);
    expect((await stele.visit(slug).expect(200)).text).toContain('Files, with');
  }, 240_000);

  it('a repository without a static export is deployed as a server that can be replaced and rolled back', async () => {
    const { job, lines, slug, token } = await deployed('server', project('One'));
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(job.steps.map(({ name }) => name)).toEqual(['clone', 'detect', 'install', 'build', 'start']);

    const list = async () => (await stele.api.get(`/v1/sites/${slug}/deploys`).set(token).expect(200)).body.items;
    const [first] = await list();
    expect(first).toMatchObject({ status: 'live', program: { kind: 'next' }, files: 0, deployId: job.deployId });
    const archive = await storedFile(stele, first.digest.slice('sha256:'.length), join(temporary.folder, 'stored'));
    expect(await answerOf(archive, join(temporary.folder, 'one'), '/')).toContain('One');
    expect(await answerOf(archive, join(temporary.folder, 'one'), '/hello.txt')).toBe('Hello');

    expect((await stele.visit(slug).expect(200)).text).toContain('One');
    expect((await stele.visit(slug, '/hello.txt').expect(200)).text).toBe('Hello');

    const visits = { failed: [] as number[], isOver: false };
    const visiting = (async () => {
      while (!visits.isOver) {
        const [{ status }] = await Promise.all([stele.visit(slug), delay(50)]);
        if (status !== 200) visits.failed.push(status);
      }
    })();
    const again = await deployed('server', project('Two'), { slug }, token);
    expect(again.job).toMatchObject({ status: 'succeeded' });
    while (!(await stele.visit(slug)).text.includes('Two')) await delay(100);
    const [second] = await list();
    expect(second).toMatchObject({ status: 'live', number: 2 });
    expect(second.digest).not.toBe(first.digest);
    const back = { deployId: first.deployId };
    await stele.api.post(`/v1/sites/${slug}/rollback`).set(token).send(back).expect(200);
    expect((await list()).map(({ status }: { status: string }) => status)).toEqual(['superseded', 'live']);
    while (!(await stele.visit(slug)).text.includes('One')) await delay(100);
    visits.isOver = true;
    await visiting;
    expect(visits.failed).toEqual([]);
  }, 400_000);
});

async function answerOf(archive: string, folder: string, path: string): Promise<string> {
  execFileSync('mkdir', ['-p', folder]);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const { entry } = JSON.parse(execFileSync('cat', [join(folder, 'stele.json')], { encoding: 'utf8' }));
  const port = await reusablePort();
  const child = spawn(process.execPath, [join(folder, entry)], {
    env: { PATH: process.env.PATH, PORT: String(port), HOSTNAME: '127.0.0.1' },
    stdio: 'ignore',
  });
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      if (answer) return await answer.text();
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
      await delay(100);
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}
