// needs: database, git

import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { agentOf, type Called } from '../support/agents/agents.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

jest.setTimeout(120_000);

let host: GitHost;
let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;

beforeAll(async () => {
  host = await GitHost.open();
  temporary = await temporaryFolder('llms');
  stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: host.listed } });
  host.commit('site', { 'index.html': '<h1>Repository</h1>' });
  await mkdir(join(temporary.folder, 'dist/assets'), { recursive: true });
  await writeFile(join(temporary.folder, 'dist/index.html'), '<h1>Folder</h1>');
  await writeFile(join(temporary.folder, 'dist/assets/app.js'), 'let a');
}, 60_000);
afterAll(async () => {
  await stele?.stop();
  await host.close();
  await temporary.remove();
});

/** Returns the terminal commands in a text, including their continuation lines. */
const linesIn = (text: string) =>
  [...text.matchAll(/^(?:(?:curl|tar) (?:.*\\\n)*.*|VERIFIER=.*\nCHALLENGE=.*\ncurl .*)$/gm)].map(([line]) => line);

/** A simulated terminal in which an agent runs the commands it finds in a text. */
class Terminal {
  readonly ran: string[] = [];

  constructor(private readonly text: string) {}

  /** Runs the first unused command that contains these words. Replaces the names in `known` with their values. */
  async run(words: string, known: Record<string, string> = {}) {
    const line = linesIn(this.text).find((each) => each.includes(words) && !this.ran.includes(each));
    if (!line) throw new Error(`No line has “${words}”.`);
    this.ran.push(line);
    const names = Object.keys(known).sort((a, b) => b.length - a.length);
    const filled = names.reduce((filled, name) => filled.replaceAll(name, known[name] ?? ''), line);
    const silent = filled.replaceAll('curl ', 'curl -sS ');
    const env = { ...process.env, HOME: temporary.folder };
    const { stdout } = await promisify(execFile)('bash', ['-c', silent], { cwd: temporary.folder, env });
    return stdout;
  }

  async json(words: string, known: Record<string, string> = {}) {
    return JSON.parse(await this.run(words, known));
  }
}

/** Calls the agent as a page does. Repeats the call while no agent has polled yet. */
async function answeredByAgent(
  ask: () => PromiseLike<{ readonly status: number; readonly body: object }>,
): Promise<object> {
  for (;;) {
    const { status, body } = await ask();
    if (status !== 503) return body;
    await delay(100);
  }
}

const shown = async (slug: string) => (await stele.visit(slug).expect(200)).text;

describe('An agent that has only read /llms.txt', () => {
  let text: string;
  let terminal: Terminal;

  beforeAll(async () => {
    text = (await stele.api.get('/llms.txt').expect(200)).text;
    terminal = new Terminal(text);
  });

  it('the agent installs the command, and publishes a folder with it', async () => {
    expect(await terminal.run('/cli/install.sh')).toContain('Installed stele');
    const { STELE_TOKEN: _, CI: __, ...inherited } = process.env;
    const env = { ...inherited, HOME: temporary.folder, XDG_CONFIG_HOME: join(temporary.folder, 'config') };
    const command = join(temporary.folder, '.local/bin/stele');
    const words = ['deploy', 'dist', '--instance', stele.base, '--json'];
    const { stdout } = await promisify(execFile)(command, words, { cwd: temporary.folder, env });
    expect(await shown(JSON.parse(stdout).slug)).toBe('<h1>Folder</h1>');
  });

  it('the agent publishes a site, breaks it with a deploy, notices, and rolls back', async () => {
    const first = await terminal.json("--data-binary '<h1>Hello</h1>'");
    const { slug, editToken } = first;
    const site = { SLUG: slug, EDIT_TOKEN: editToken };
    expect(await shown(slug)).toBe('<h1>Hello</h1>');

    const second = await terminal.json('Second version', site);
    const diff = await terminal.json('deploys/diff', {
      ...site,
      DEPLOY_ID: first.deployId,
      OTHER_DEPLOY_ID: second.deployId,
    });
    expect(diff.changed).toMatchObject([{ path: 'index.html' }]);
    expect(await terminal.run('/files/index.html', site)).toBe('<h1>Second version</h1>');

    const late = await terminal.json('Third version', { ...site, REVISION: '1' });
    expect(late.code).toBe('revision_mismatch');
    const deploys = await terminal.json('/deploys -H', site);
    expect(deploys.items.map(({ status }: { status: string }) => status)).toEqual(['live', 'superseded']);
    await terminal.json('/rollback', { ...site, DEPLOY_ID: deploys.items[1].deployId });
    expect(await shown(slug)).toBe('<h1>Hello</h1>');
    const earliest = await terminal.json('"previous"', site);
    expect(earliest.code).toBe('deploy_not_found');
    const { items } = await terminal.json('/history', site);
    expect(items[0].type).toBe('SiteRolledBack');
    expect((await terminal.json('/v1/deploy/prepared', site)).command).toContain('FOLDER');
    expect(await terminal.json('/logs?level=warn,error', site)).toEqual({ items: [], limit: 100, next: null });
  });

  it('the agent publishes files, a folder and a repository', async () => {
    expect((await terminal.json('"path":"index.html"')).files).toBe(2);
    expect((await terminal.json("-F 'files=@dist")).files).toBe(2);
    expect((await terminal.json('tar -czf', { FOLDER: 'dist' })).files).toBe(2);

    const page = '<h1>Large</h1>';
    await writeFile(join(temporary.folder, 'index.html'), page);
    const announced = { SHA256: hash('sha256', page), SIZE: String(page.length) };
    const { uploadToken } = await terminal.json('/v1/cli/preflight', announced);
    const sending = { ...announced, UPLOAD_TOKEN: uploadToken };
    expect((await terminal.json('curl -T index.html', sending)).size).toBe(page.length);
    const { slug } = await terminal.json("/v1/deploy -H 'x-svc-upload-token", sending);
    expect(await shown(slug)).toBe(page);

    const repository = { 'https://github.com/OWNER/NAME': host.url('site') };
    expect((await terminal.json('/v1/repo/check', repository)).plan.kind).toBe('static');
    const { eventsUrl } = await terminal.json('/v1/repo/deploy', repository);
    expect(await terminal.run('EVENTS_URL', { EVENTS_URL: eventsUrl })).toContain('event: job.succeeded');
    const listed = await terminal.run('tools/list');
    expect(listed).toContain('deploy_html');
  });

  it('the agent acts for a user, and sets up a page that sends work to an agent', async () => {
    const person = await signIn(stele, 'person@example.org');
    const [, asking = ''] = /(VERIFIER=[\s\S]*?auth\/cli\?challenge=.*)/.exec(text) ?? [];
    const asked = await terminal.json('auth/cli?challenge');
    expect(asking).toContain('CHALLENGE');
    // Another shell does not know the verifier, so it is refused.
    const exchanged = await terminal.json('auth/cli/exchange', { TICKET: asked.ticket, $VERIFIER: 'a'.repeat(43) });
    expect(exchanged.code).toBe('invalid_token');

    const { body } = await stele.api
      .post('/v1/deploy')
      .set(person.bearer)
      .type('html')
      .send('<h1>Mine</h1>')
      .expect(200);
    const site = { SLUG: body.slug, TOKEN: person.token };
    await terminal.json('/capabilities', site);
    const { token } = await terminal.json('/connector/tokens', site);
    const polling = terminal.json('/connector/poll', { CONNECTOR_TOKEN: token });
    const answer = answeredByAgent(() =>
      stele.raw
        .post('/.stele/invoke')
        .set('host', `${body.slug}.localhost:${stele.port}`)
        .send({ input: { question: 'six times nine?' } }),
    );
    const work = await polling;
    expect(work.input).toEqual({ question: 'six times nine?' });
    await terminal.json('/connector/result', { 'result/ID': `result/${work.id}`, CONNECTOR_TOKEN: token });
    expect(await answer).toMatchObject({ status: 'succeeded', output: { answer: 42 } });
  });

  it('every command in /llms.txt was run, and /llms-full.txt has the same commands', async () => {
    expect(linesIn(text).filter((line) => !terminal.ran.includes(line))).toEqual([]);
    const { text: whole } = await stele.api.get('/llms-full.txt').expect(200);
    expect(linesIn(whole)).toEqual(linesIn(text));
    for (const part of ['- redeploy (', '- POST /v1/sites/{slug}/rollback: ', '- revision_mismatch (412): '])
      expect(whole).toContain(part);
  });
});

describe('An MCP client that knows only the list of tools', () => {
  it('guided by the responses, the client publishes a site, breaks it, notices, and rolls back', async () => {
    const agent = await agentOf(stele);
    const { tools } = await agent.client.listTools();
    /** Calls the only tool whose title matches. Passes those known values that the tool's schema contains. */
    const use = (words: RegExp, known: Record<string, unknown>): Promise<Called> => {
      const [tool, ...others] = tools.filter(({ title = '' }) => words.test(title));
      expect([String(words), others.map(({ name }) => name)]).toEqual([String(words), []]);
      const { properties = {} } = tool!.inputSchema;
      const given = Object.fromEntries(Object.entries(known).filter(([name]) => name in properties));
      return agent.call(tool!.name, given);
    };
    const { answer: first } = await use(/single page as a new site/, { html: '<h1>Right</h1>' });
    const known = { slug: first.slug, editToken: first.editToken };
    const broken = await use(/Replace a site’s content/, {
      ...known,
      html: '<h1>Wrong</h1>',
      ifRevision: first.revision,
    });

    const { answer: deploys } = await use(/List a site’s deploys/, known);
    const [live, before] = deploys.items;
    const { answer: diff } = await use(/Compare two deploys/, {
      ...known,
      from: before.deployId,
      to: live.deployId,
    });
    expect(diff.changed).toMatchObject([{ path: 'index.html' }]);
    const undone = await use(/earlier deploy live again/, {
      ...known,
      deployId: before.deployId,
      ifRevision: broken.answer.revision,
    });
    expect(undone.isError).toBe(false);
    expect(await shown(first.slug)).toBe('<h1>Right</h1>');
    await agent.close();
  });
});
