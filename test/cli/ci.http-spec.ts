import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/cli/stele-command.js';
import { homeOf } from '../support/people/agent-program.js';
import { signIn } from '../support/people/sign-in.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

describe('stele in CI', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let issuer: TokenIssuer;
  let machine: CommandLine;
  let slug: string;
  let owner: { readonly STELE_TOKEN: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-ci');
    issuer = await TokenIssuer.open();
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: issuer.listed } });
  }, 60_000);
  afterAll(async () => {
    issuer?.close();
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    machine = await CommandLine.create(homeOf(stele));
    const { token, bearer } = await signIn(stele, 'cli-ci@example.org');
    owner = { STELE_TOKEN: token };
    slug = (await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200)).body.slug;
    await machine.write('dist/index.html', 'from CI');
  });
  afterEach(() => machine?.remove());

  const trust = () =>
    machine.json(
      [
        'publishers',
        'add',
        'octo-org/website',
        '--issuer',
        issuer.url,
        '--claim',
        'ref=refs/heads/main',
        '--site',
        slug,
      ],
      { env: owner },
    );
  /** The variables of a job on GitHub with the permission `id-token: write`. */
  const onGitHub = (): Record<string, string> => ({
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(machine.folder, 'summary.md'),
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
  });
  const deploy = (env: Record<string, string>) => machine.json(['deploy', '--site', slug], { env });

  it('publishes from a GitHub job without a stored secret, and adds a job summary', async () => {
    const added = await trust();
    expect(added).toMatchObject({ claims: { repository: 'octo-org/website', ref: 'refs/heads/main' } });
    expect(await deploy(onGitHub())).toMatchObject({ exitCode: 0, slug, credential: 'ci', number: 2 });
    expect((await stele.visit(slug)).text).toBe('from CI');
    expect(await readFile(join(machine.folder, 'summary.md'), 'utf8')).toContain(slug);
    const removed = await machine.json(['publishers', 'remove', String(added.id), '--site', slug, '--yes'], {
      env: owner,
    });
    expect(removed).toMatchObject({ exitCode: 0 });
    expect(await deploy(onGitHub())).toMatchObject({ ok: false });
  });

  it('publishes from a GitLab job that declares `id_tokens:`', async () => {
    await trust();
    const STELE_ID_TOKEN = await issuer.token({ aud: homeOf(stele) });
    expect(await deploy({ CI: 'true', GITLAB_CI: 'true', STELE_ID_TOKEN })).toMatchObject({
      exitCode: 0,
      credential: 'ci',
    });
  });

  it('reports a failed deploy as an annotation on the job', async () => {
    const { code, err } = await machine.run(['deploy', 'nowhere', '--site', slug], { env: onGitHub() });
    expect(code).not.toBe(0);
    expect(err).toMatch(/^::error title=stele::/m);
  });

  it('refuses to publish without an account, and never prompts', async () => {
    expect(await machine.json(['deploy'], { env: { CI: 'true' } })).toMatchObject({
      exitCode: 3,
      code: 'not_signed_in',
    });
    await machine.write('public/index.html', 'another');
    expect(await machine.json(['deploy'], { env: { CI: 'true', ...owner } })).toMatchObject({ ok: false, exitCode: 4 });
  });

  it('rejects the identity token of a job on another branch', async () => {
    await trust();
    const STELE_ID_TOKEN = await issuer.token({ aud: homeOf(stele), ref: 'refs/heads/other' });
    expect(await deploy({ CI: 'true', STELE_ID_TOKEN })).toMatchObject({ ok: false, code: 'invalid_token' });
    expect((await stele.visit(slug)).text).toBe('<p>');
  });
});
