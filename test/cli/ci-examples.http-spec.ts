// needs: bash, curl

import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { CommandLine, type Ended } from '../support/cli/stele-command.js';
import { homeOf } from '../support/people/agent-program.js';
import { signIn } from '../support/people/sign-in.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

type Variables = Readonly<Record<string, string>>;

describe('The examples for CI', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let issuer: TokenIssuer;
  let machine: CommandLine;
  let slug: string;
  let bearer: { authorization: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-ci-examples');
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
    ({ bearer } = await signIn(stele, 'cli-examples@example.org'));
    slug = (await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200)).body.slug;
    const publisher = { issuer: issuer.url, claims: { repository: 'octo-org/website' } };
    await stele.api.post(`/v1/sites/${slug}/publishers`).set(bearer).send(publisher).expect(201);
    await machine.write('dist/index.html', 'from CI');
    await mkdir(join(machine.folder, 'runner'));
  });
  afterEach(() => machine?.remove());

  /** Runs the script of a step as a runner does: in the project, with the variables of the job. */
  async function runStep(script: string, variables: Variables): Promise<Ended> {
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: machine.project,
      env: { ...machine.env, PATH, CI: 'true', ...variables },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    const code = await new Promise<number | null>((ended) => child.once('close', ended));
    return { code, out, err };
  }

  /** Runs the steps of the GitHub action, and returns its outputs. */
  async function runAction(inputs: Variables) {
    const action = parse(await readFile('examples/ci/deploy-to-stele/action.yml', 'utf8'));
    const defaults = Object.entries<{ default?: string }>(action.inputs).map(([name, each]) => [name, each.default]);
    const given: Variables = { ...Object.fromEntries(defaults), ...inputs };
    const runner = join(machine.folder, 'runner');
    const fill = (text: string) =>
      text.replaceAll(/\$\{\{ *(?:inputs\.([\w-]+)|runner\.temp) *\}\}/g, (_, name) =>
        name ? (given[name] ?? '') : runner,
      );
    const output = join(runner, 'output');
    const steps = (action.runs.steps as { run?: string; env?: Variables }[]).filter(({ run }) => run !== undefined);
    let ended: Ended | undefined;
    for (const { run = '', env = {} } of steps)
      ended = await runStep(run, {
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        RUNNER_TEMP: runner,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?api-version=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      });
    const outputs = await readFile(output, 'utf8').catch(() => '');
    return { ...ended, outputs: Object.fromEntries(outputs.split('\n').map((line) => line.split(/=(.*)/))) };
  }

  it('the GitHub action publishes a site without a stored secret and outputs its URL', async () => {
    const message = 'A "message" with $(words)';
    const { code, outputs } = await runAction({ instance: homeOf(stele), site: slug, folder: 'dist', message });
    expect([code, outputs.url]).toEqual([0, expect.stringContaining(slug)]);
    expect(outputs['deploy-id']).toMatch(/^dep_/);
    expect((await stele.visit(slug)).text).toBe('from CI');
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set(bearer).expect(200);
    expect(body.items[0]).toMatchObject({ message, client: expect.stringMatching(/^stele-cli\//) });
  });

  it('the GitHub action stores a draft with an access token and outputs the preview URL', async () => {
    const created = await stele.api.post(`/v1/sites/${slug}/tokens`).set(bearer).send({ name: 'ci', role: 'editor' });
    const inputs = { instance: homeOf(stele), site: slug, draft: 'true', token: created.body.token };
    const { code, outputs } = await runAction(inputs);
    expect([code, outputs.url]).toEqual([0, expect.stringContaining('//dep-')]);
    expect((await stele.visit(slug)).text).toBe('<p>');
  });

  it('the GitHub action fails if the stele command fails', async () => {
    const { code, err } = await runAction({ instance: homeOf(stele), site: 'no-such-site', folder: 'dist' });
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('::error title=stele::')]);
    expect(code).not.toBe(0);
  });

  it('the GitLab component publishes a site without a stored secret', async () => {
    const text = await readFile('examples/ci/gitlab/templates/deploy.yml', 'utf8');
    const [spec, jobs] = parseAllDocuments(text).map((document) => document.toJS());
    const inputs: Variables = { instance: homeOf(stele), site: slug, folder: 'dist' };
    expect(Object.keys(spec.spec.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const { script, variables, id_tokens: tokens } = jobs['deploy-to-stele'];
    const fill = (value: string) => value.replaceAll(/\$\[\[ *inputs\.(\w+) *\]\]/g, (_, name) => inputs[name] ?? '');
    const { code, err } = await runStep(script.join('\n'), {
      GITLAB_CI: 'true',
      CI_COMMIT_TITLE: 'Change the home page',
      STELE_ID_TOKEN: await issuer.token({ aud: fill(tokens.STELE_ID_TOKEN.aud) }),
      ...Object.fromEntries(Object.entries<string>(variables).map(([name, value]) => [name, fill(value)])),
    });
    expect([code, err]).toEqual([0, expect.stringContaining('Found')]);
    expect((await stele.visit(slug)).text).toBe('from CI');
  });
});
