// needs: database, git, bubblewrap

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';
import { publicKeys, verified } from '../support/sites/provenance.js';

const REGISTRIES = 'registry.npmjs.org,registry.yarnpkg.com';

const project = (script: string, more: Tree = {}): Tree => ({
  'package.json': JSON.stringify({ private: true, scripts: { build: 'node make.mjs' } }),
  'make.mjs': `import { mkdirSync, writeFileSync } from 'node:fs';\n${script}`,
  ...more,
});
const page = (html: string) => `mkdirSync('dist', { recursive: true }); writeFileSync('dist/index.html', ${html});`;

describe('A repository that has to be built', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('builds');
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'bubblewrap', STELE_BUILD_HOSTS: REGISTRIES };
    stele = await startStele({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  async function built(name: string, tree: Tree) {
    const commit = host.commit(name, tree);
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url(name) })
      .expect(200);
    const job = await jobOver(stele, body.jobId);
    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    const site = () => stele.visit(body.slug);
    const token = { 'x-svc-edit-token': body.editToken as string };
    return { job, lines, commit, slug: body.slug as string, site, token };
  }

  it('the repository is built with Vite, and its pages are online', async () => {
    const { job, lines, site } = await built('vite', {
      'package.json': JSON.stringify({
        private: true,
        scripts: { build: 'vite build' },
        devDependencies: { vite: '8.3.8' },
      }),
      'index.html': '<!doctype html><title>Made by Vite</title><script type="module" src="/main.js"></script>',
      'main.js': 'document.title += "!";',
    });
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toContainEqual(expect.stringContaining('$ npm install'));
    expect((await site().expect(200)).text).toMatch(/\/assets\/index-[\w-]+\.js.*Made by Vite/s);
  }, 180_000);

  it('the build can see its site, URL and commit, and nothing about the machine', async () => {
    const { job, commit, slug, site } = await built(
      'environment',
      project(page('JSON.stringify({ env: process.env, cwd: process.cwd() })')),
    );
    expect(job).toMatchObject({ status: 'succeeded' });
    const { env, cwd } = JSON.parse((await site().expect(200)).text);
    expect(cwd).toBe('/workspace');
    expect(env).toMatchObject({ CI: 'true', STELE: '1', STELE_SLUG: slug, STELE_COMMIT: commit, HOME: '/home/build' });
    expect(env.STELE_URL).toContain(slug);
    expect(JSON.stringify(env)).not.toContain(temporary.folder);
  });

  it('the build has its site’s secrets, and its log never shows them, not even split or encoded', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    const secret = 'K7#vQ2/zt?9&Lm+4x"Wp';
    const script = `const { TOKEN, PATH } = process.env;
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
for (const form of [TOKEN, encodeURIComponent(TOKEN), JSON.stringify(TOKEN), ...['', 'a', 'ab'].map((before) => Buffer.from(before + TOKEN).toString('base64'))])
  console.error('form ' + form + '.');
process.stdout.write('half ' + TOKEN.slice(0, 9)); await pause(); console.log(TOKEN.slice(9) + '.');
console.log('red \\u001b[31m' + TOKEN.slice(0, 9) + '\\u001b[32m' + TOKEN.slice(9) + '\\u001b[0m.');
${page('JSON.stringify([TOKEN.length, PATH.includes("elsewhere")])')}`;
    host.commit('secret', project(script));
    const { body: first } = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ url: host.url('secret'), slug: 'secretive', plan: { buildCommand: 'TOKEN=none npm run build' } })
      .expect(200);
    await jobOver(stele, first.jobId, ann.bearer);
    for (const [name, value] of Object.entries({ TOKEN: secret, PATH: '/elsewhere' }))
      await stele.api.put(`/v1/sites/secretive/secrets/${name}`).set(ann.bearer).send({ value }).expect(200);
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ url: host.url('secret'), slug: 'secretive' })
      .expect(200);
    expect(await jobOver(stele, body.jobId, ann.bearer)).toMatchObject({ status: 'succeeded' });
    expect(JSON.parse((await stele.visit('secretive').expect(200)).text)).toEqual([secret.length, false]);
    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    expect(lines.filter((line) => line.startsWith('form ') && line.includes('••••'))).toHaveLength(6);
    expect(lines).toContain('half ••••.');
    expect(lines.find((line) => line.startsWith('red '))).toContain('••••');
    const said = JSON.stringify(await stele.log());
    const pieces = [secret.slice(0, 9), secret.slice(9), Buffer.from(secret).toString('base64').slice(0, 16)];
    for (const piece of pieces) expect(said).not.toContain(JSON.stringify(piece).slice(1, -1));
  }, 120_000);

  it('a build with an old version of webpack is repeated with the hash algorithm that it needs', async () => {
    const script = `import { createHash } from 'node:crypto';\n${page("createHash('md4').update('page').digest('hex')")}`;
    const { job, lines, site } = await built('old-webpack', project(script));
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(lines).toContainEqual(expect.stringContaining('repeated with NODE_OPTIONS=--openssl-legacy-provider'));
    expect((await site().expect(200)).text).toMatch(/^[0-9a-f]{32}$/);
  });

  it('a build that connects to a blocked host again and again is stopped, and its error names the host', async () => {
    const script = `import { connect } from 'node:net';
const { hostname, port } = new URL(process.env.HTTPS_PROXY);
const attempt = () => connect(Number(port), hostname)
  .on('error', attempt)
  .once('data', function () { this.destroy(); attempt(); })
  .write('CONNECT registry.npmmirror.com:443 HTTP/1.1\\r\\nHost: registry.npmmirror.com:443\\r\\n\\r\\n');
for (let n = 0; n < 8; n++) attempt();`;
    const { job } = await built('stubborn', project(script));
    expect(job).toMatchObject({
      status: 'failed',
      error: { code: 'build_failed', message: expect.stringContaining('to connect to registry.npmmirror.com, which') },
    });
  }, 60_000);

  it('the error of a Create React App build that failed because of warnings says how to build anyway', async () => {
    const script = `console.log('Treating warnings as errors because process.env.CI = true.');\nprocess.exit(1);`;
    const { job } = await built('warnings', project(script));
    expect(job).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('such as “CI=false npm run build”') },
    });
  });

  it('a failed build shows the command’s output in color', async () => {
    const script =
      'console.error("\\u001b[31mno such module\\u001b[0m\\u001b[2J\\u001b]0;title\\u0007"); process.exit(3);';
    const { job, lines } = await built('failing', project(script));
    expect(job).toMatchObject({
      status: 'failed',
      error: {
        code: 'build_failed',
        message: expect.stringMatching(/^“npm run build” exited with code 3\. The log says: .*no such module/),
      },
    });
    expect(lines).toContain('\u001b[31mno such module\u001b[0m');
  });

  it('after a failed build, the slug can be used again with the edit token, or taken by a stranger', async () => {
    const deploy = (body: object, token: Record<string, string> = {}) =>
      stele.api
        .post('/v1/repo/deploy')
        .set(token)
        .send({ url: host.url('corrected'), slug: 'corrected', ...body });
    const fails = project('process.exit(3);');
    host.commit('corrected', fails);
    const { body: first } = await deploy({}).expect(200);
    expect(await jobOver(stele, first.jobId)).toMatchObject({ status: 'failed', error: { code: 'build_failed' } });
    const token = { 'x-svc-edit-token': first.editToken as string };
    const { body: second } = await deploy({}, token).expect(200);
    expect(second).not.toHaveProperty('editToken');
    expect((await deploy({}).expect(409)).body).toMatchObject({ code: 'slug_taken' });
    expect(await jobOver(stele, second.jobId)).toMatchObject({ status: 'failed', slug: 'corrected' });

    host.commit('corrected', project(page('"corrected"')));
    const { body: third } = await deploy({}).expect(200);
    expect(third).toMatchObject({ slug: 'corrected', editToken: expect.any(String) });
    const { body: rerun } = await stele.api.post('/v1/sites/corrected/rerun').set(token).expect(403);
    expect(rerun).toMatchObject({ code: 'edit_token_invalid', detail: expect.stringContaining('under another slug') });
    expect(await jobOver(stele, third.jobId)).toMatchObject({ status: 'succeeded' });
    expect((await stele.visit('corrected').expect(200)).text).toBe('corrected');
    expect((await deploy({}).expect(409)).body).toMatchObject({ code: 'slug_taken' });
    const ended = (await stele.log()).filter(({ type }) => type === 'SiteSlugReleased');
    expect(ended).toMatchObject([{ data: expect.stringContaining(second.jobId) }]);
  }, 60_000);

  it('a build that produces no page fails', async () => {
    const { job } = await built('pageless', project('writeFileSync("out.txt", "x");'));
    expect(job).toMatchObject({
      status: 'failed',
      error: { code: 'build_failed', message: expect.stringContaining('no index.html') },
    });
  });

  it('links that point outside the build output are not published', async () => {
    const script = `import { symlinkSync } from 'node:fs';\n${page('"linked"')} symlinkSync('/etc/shadow', 'dist/shadow.txt'); symlinkSync('/etc', 'dist/etc');`;
    const { job, lines, slug } = await built('links', project(script));
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(lines).toContain('Skipped shadow.txt: it is a symbolic link');
    await stele.visit(slug, '/shadow.txt').expect(404);
    await stele.visit(slug, '/etc/passwd').expect(404);
  });

  it('a build can reach only the registries, and blocked connections are reported', async () => {
    const tried = ['https://example.org', 'https://169.254.169.254', 'http://127.0.0.1:5432'];
    const script = `const said = await Promise.all(${JSON.stringify(tried)}.map((url) => fetch(url).then(() => url, () => 'no')));\n${page('JSON.stringify(said)')}`;
    const { job, lines, site } = await built('egress', project(script));
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(JSON.parse((await site().expect(200)).text)).toEqual(['no', 'no', 'no']);
    expect(lines).toContainEqual(
      expect.stringMatching(/^Blocked a connection: example\.org is not one of the allowed hosts/),
    );
  });

  it('the provenance of the build lists its sources and tools', async () => {
    const lock = '# yarn lockfile v1\n';
    const { job, commit, slug, token } = await built(
      'stated',
      project(page('"stated"'), {
        'package.json': JSON.stringify({
          private: true,
          packageManager: 'yarn@1.22.22',
          scripts: { build: 'node make.mjs' },
        }),
        'yarn.lock': lock,
      }),
    );
    expect(job).toMatchObject({ status: 'succeeded' });
    const { text } = await stele.api
      .get(`/v1/sites/${slug}/deploys/${job.deployId}/provenance`)
      .set(token)
      .buffer(true)
      .expect(200);
    const { predicate } = verified(JSON.parse(text), await publicKeys(stele));
    expect(predicate.buildDefinition).toMatchObject({
      externalParameters: { repository: host.url('stated'), ref: null, rootDirectory: null, plan: {} },
      internalParameters: {
        plan: { kind: 'static_build', packageManager: 'yarn@1.22.22', buildCommand: 'yarn run build' },
      },
    });
    const sha512 = expect.stringMatching(/^[0-9a-f]{128}$/);
    expect(predicate.buildDefinition.resolvedDependencies).toEqual([
      { uri: `git+${host.url('stated')}@main`, digest: { gitCommit: commit } },
      { name: 'yarn.lock', digest: { sha256: hash('sha256', lock) } },
      { name: 'yarn', uri: 'pkg:npm/yarn@1.22.22', digest: { sha512 } },
      {
        name: 'node',
        uri: `pkg:generic/node@${process.versions.node}`,
        digest: { sha256: hash('sha256', readFileSync(process.execPath)) },
      },
      { name: 'npm', uri: expect.stringMatching(/^pkg:npm\/npm@\d+\.\d+\.\d+/) },
    ]);
    expect(predicate.runDetails.builder.id).toMatch(/\/#builder=bubblewrap$/);
  }, 120_000);

  const next = (leaves: string, more: Tree): Tree => ({
    'package.json': JSON.stringify({
      private: true,
      scripts: { build: 'next build' },
      dependencies: { next: 'file:./next' },
    }),
    'next/package.json': JSON.stringify({ name: 'next', version: '16.0.0', bin: { next: 'next.js' } }),
    'next/next.js': `#!/usr/bin/env node\nconst { mkdirSync, writeFileSync } = require('node:fs');\nmkdirSync('.next'); mkdirSync('out'); ${leaves}`,
    ...more,
  });
  const EXPORTED = `writeFileSync('.next/export-detail.json', '{}'); writeFileSync('out/index.html', 'Exported');`;
  const SETTING = { 'next.config.mjs': "export default { output: 'export' };" };

  it('a Next.js site with a static export is published as files', async () => {
    const { job, site } = await built('next', next(EXPORTED, SETTING));
    expect(job).toMatchObject({ status: 'succeeded', plan: { kind: 'next', outputDirectory: 'out' } });
    expect((await site().expect(200)).text).toBe('Exported');
  });

  it('a Next.js site with a static export is published as files even if its settings do not mention the export', async () => {
    const { job, site } = await built('next-files', next(EXPORTED, {}));
    expect(job).toMatchObject({ status: 'succeeded', plan: { kind: 'next', outputDirectory: null } });
    expect((await site().expect(200)).text).toBe('Exported');
  });

  const SERVER = `const { symlinkSync } = require('node:fs');
    mkdirSync('.next/standalone/node_modules', { recursive: true }); writeFileSync('.next/standalone/server.js', 'x');`;
  it.each([
    [
      'neither files nor a server',
      "writeFileSync('out/index.html', 'x');",
      /did not build a server in \.next\/standalone/,
    ],
    [
      'a link that leads out of its output',
      `${SERVER} symlinkSync('/etc/passwd', '.next/standalone/a');`,
      /app\/a cannot be included/,
    ],
    ['a link to its source', `${SERVER} symlinkSync('../../../next', '.next/standalone/a');`, /cannot be included/],
  ])('a build fails if Next.js has created %s', async (_, leaves, message) => {
    const { job } = await built('next-server', next(leaves, {}));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'build_failed' } });
    expect(job.error?.message).toMatch(message);
  });

  it('the build sees exactly the files of its commit, with executable bits and internal links', async () => {
    const { job, lines, site } = await built('tree', {
      'package.json': JSON.stringify({ private: true, scripts: { build: './bin/make.sh' } }),
      'bin/make.sh': {
        run: '#!/bin/sh\nmkdir dist; { ls -d linked outside around; cat linked/text; } > dist/index.html',
      },
      'shared/text': 'through a link',
      linked: { link: 'shared' },
      outside: { link: '../../etc/passwd' },
      around: { link: 'around' },
    });
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect((await site().expect(200)).text).toBe('linked\nthrough a link');
    expect(lines).toContainEqual(expect.stringContaining('Skipped outside: it is a symbolic link to'));
  });
});
