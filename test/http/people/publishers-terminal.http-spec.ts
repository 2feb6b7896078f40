import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { homeOf } from '../../support/people/agent-program.js';
import { signIn } from '../../support/people/sign-in.js';
import { TokenIssuer } from '../../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const run = promisify(execFile);

async function documentedStep(): Promise<string> {
  const guide = await readFile('docs/guides/ci.md', 'utf8');
  const [, lines = ''] = /```yaml\n[\s\S]*?- run: \|\n([\s\S]*?)```/.exec(guide) ?? [];
  return lines.replaceAll(/^ +/gm, '');
}

describe('Publishing from a script that has only curl', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let issuer: TokenIssuer;
  let ann: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    temporary = await temporaryFolder('publishers-terminal');
    issuer = await TokenIssuer.open();
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: issuer.listed } });
    ann = await signIn(stele, 'ann@example.org');
    await mkdir(join(temporary.folder, 'work/dist'), { recursive: true });
    await writeFile(join(temporary.folder, 'work/dist/index.html'), '<h1>From CI</h1>');
    await stele.api.post('/v1/deploy?slug=my-site').set(ann.bearer).type('html').send('<h1>First</h1>').expect(200);
  }, 180_000);
  afterAll(async () => {
    issuer?.close();
    await stele?.stop();
    await temporary.remove();
  });

  const shell = (script: string, env: Record<string, string> = {}) =>
    run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: join(temporary.folder, 'work'),
      env: { PATH: process.env.PATH, STELE: homeOf(stele), ...env },
    });
  const shown = async () => (await stele.raw.get('/s/my-site/').expect(200)).text;
  const newest = async () =>
    (await stele.api.get('/v1/sites/my-site/history').set(ann.bearer).expect(200)).body.items[0];

  it('the documented workflow step publishes from a GitHub job without a stored secret', async () => {
    const publisher = { issuer: issuer.url, claims: { repository: 'octo-org/website', ref: 'refs/heads/main' } };
    await stele.api.post('/v1/sites/my-site/publishers').set(ann.bearer).send(publisher).expect(201);
    const { stdout } = await shell(await documentedStep(), {
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?job=1`,
    });
    expect(stdout).toContain('"slug":"my-site"');
    expect(await shown()).toContain('From CI');
    expect((await newest()).summary).toMatch(/, by CI “octo-org\/website”$/);
  });

  it('a script can publish with a site token, and fails if the token is mistyped', async () => {
    const { body } = await stele.api
      .post('/v1/sites/my-site/tokens')
      .set(ann.bearer)
      .send({ name: 'deploy from main', role: 'editor' })
      .expect(201);
    const line = `curl -sS -w '%{http_code}' -X PATCH "$STELE/v1/deploy?slug=my-site" -H "authorization: Bearer $ACCESS_TOKEN" -H 'content-type: text/html' --data-binary '<h1>By token</h1>'`;
    expect((await shell(line, { ACCESS_TOKEN: body.token.slice(0, -1) })).stdout).toMatch(/401$/);
    expect((await shell(line, { ACCESS_TOKEN: '' })).stdout).toMatch(/401$/);
    expect(await shown()).not.toContain('By token');
    expect((await shell(line, { ACCESS_TOKEN: body.token })).stdout).toMatch(/200$/);
    expect(await shown()).toContain('By token');
    expect((await newest()).summary).toMatch(/, by CI “deploy from main”$/);
  });
});
