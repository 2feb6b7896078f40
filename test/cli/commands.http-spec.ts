import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BUNDLE, CommandLine } from '../support/cli/stele-command.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { browserOf } from '../support/people/terminal-sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let machine: CommandLine;

beforeAll(async () => {
  temporary = await temporaryFolder('cli-commands');
  stele = await sharedStele({ folder: temporary.folder });
}, 60_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});
beforeEach(async () => {
  machine = await CommandLine.create(stele.base);
});
afterEach(() => machine?.remove());

/** Publishes a page of the project, and returns the name of its site. */
async function publish(content = 'hello'): Promise<string> {
  await machine.write('index.html', content);
  return String((await machine.json(['deploy'])).slug);
}

async function signInAs(email: string): Promise<void> {
  const { token } = await signIn(stele, email);
  await machine.run(['instances', 'use', stele.base]);
  const credentials = JSON.parse(await readFile(machine.credentials, 'utf8'));
  credentials.instances[stele.base] = { token, email };
  await writeFile(machine.credentials, JSON.stringify(credentials));
}

describe('the bundled file of the stele command', () => {
  it('is smaller than 250 KB', async () => {
    expect((await stat(BUNDLE)).size).toBeLessThan(250_000);
  });

  it('prints the required Node version in one line and exits with 2 on an older Node', async () => {
    // The check of the Node version is the first statement of the file. Changing the version that it reads simulates an
    // old Node.
    const text = (await readFile(BUNDLE, 'utf8')).replace(/^#!.*\n/, '');
    const changed = join(machine.folder, 'old.mjs');
    await writeFile(changed, text.replace('process.versions.node.split', "'20.20.2'.split"));
    const { status, stdout, stderr } = spawnSync(process.execPath, [changed, '--version'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^stele needs Node 22 or later\..*\n$/);
  });
});

describe('help', () => {
  const help = (...words: string[]) => machine.run([...words, '--help']);
  const namesIn = (text: string) => [...text.matchAll(/^ {2}([a-z]+)[ |\n]/gm)].map(([, name = '']) => name);

  it('the help of every command has two examples, and the general help lists the exit codes', async () => {
    const { out, code } = await help();
    expect([code, out]).toEqual([0, expect.stringContaining('130  interrupted')]);
    const commands = namesIn(out.slice(out.indexOf('Commands:'), out.indexOf('Exit codes:'))).filter(
      (name) => name !== 'help',
    );
    expect(commands.length).toBeGreaterThan(25);
    for (const name of commands) {
      const { out: own } = await help(name);
      expect([name, own.slice(own.indexOf('Examples:')).match(/^ {2}\S.* stele |^ {2}stele /gm)?.length]).toEqual([
        name,
        2,
      ]);
    }
  }, 120_000);

  it('suggests the intended command after a typo', async () => {
    const { code, err } = await machine.run(['deplyo']);
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean “stele deploy”?')]);
    expect(await machine.json(['deplyo'])).toMatchObject({ ok: false, code: 'usage', exitCode: 2 });
  });

  it.each([
    [[], 'The command is missing.', 'stele --help'],
    [['members'], '“stele members” needs a subcommand.', 'stele members --help'],
    [['instances', '--instance', 'localhost:1'], '“stele instances” needs a subcommand.', 'stele instances --help'],
  ])('with --json, stele %j reports that the command is missing', async (words, detail, command) => {
    expect(await machine.json(words)).toMatchObject({
      ...{ ok: false, code: 'usage', exitCode: 2, title: detail, detail },
      next: [expect.objectContaining({ command })],
    });
  });
});

describe('colors', () => {
  it('colors are written to a pipe only with FORCE_COLOR, and never with NO_COLOR or --no-color', async () => {
    await publish();
    const show = async (env: Record<string, string>, ...words: string[]) =>
      (await machine.run(['rollback', '1', ...words], { env })).out.includes('\u001b[');
    expect(await show({})).toBe(false);
    expect(await show({ FORCE_COLOR: '1' })).toBe(true);
    expect(await show({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
    expect(await show({ FORCE_COLOR: '1' }, '--no-color')).toBe(false);
  });
});

describe('rollback, deploys, diff, history and download', () => {
  it('rolls back to the previous deploy, and prints the command that undoes the rollback', async () => {
    const slug = await publish('one');
    await publish('two');
    const { out, err, code } = await machine.run(['rollback']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^LIVE {2}\S+\n +Deploy 1\n$/)]);
    expect(err).toContain(`Undo      stele rollback 2 --site ${slug}`);
    expect((await stele.visit(slug)).text).toBe('one');
    expect(await machine.json(['rollback', '1'])).toMatchObject({ unchanged: true, next: [] });
  });

  it('lists deploys and compares them', async () => {
    await publish('one');
    await publish('two');
    const { out } = await machine.run(['deploys']);
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['DEPLOY', 'STATUS'],
      ['2', 'live'],
      ['1', 'superseded'],
      [''],
    ]);
    expect(await machine.json(['diff'])).toMatchObject({ changed: [{ path: 'index.html' }], added: [], removed: [] });
    expect((await machine.run(['diff', '1', '2', '--path', 'index.html'])).out).toContain('-one');
  });

  it('verifies the history of a site', async () => {
    await publish();
    expect(await machine.json(['history'])).toMatchObject({ total: 2 });
    expect(await machine.json(['history', '--verify'])).toMatchObject({ verified: true, events: 2 });
  });

  it('saves a deploy as an archive', async () => {
    await publish();
    const { file } = await machine.json(['download', '1', '--output', '../site.zip']);
    expect((await readFile(String(file))).subarray(0, 2).toString()).toBe('PK');
    expect(await machine.json(['download', '--output', '../site.zip'])).toMatchObject({
      exitCode: 4,
      code: 'answer_needed',
    });
    expect(await machine.json(['download', '--output', 'missing/site.zip'])).toMatchObject({
      detail: `There is no such file or folder: ${join(machine.project, 'missing')}.`,
    });
  });

  it('saves an archive in the folder that the next deploy publishes only if --output names the file', async () => {
    await machine.write('dist/index.html', 'hello');
    const slug = String((await machine.json(['deploy'])).slug);
    expect(await machine.json(['download'])).toMatchObject({ file: join(machine.project, `${slug}.zip`) });
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: slug, folder: '.' }));
    const refused = await machine.json(['download', '1']);
    expect(refused).toMatchObject({
      exitCode: 2,
      detail: expect.stringContaining(
        `would become part of the site, because stele deploy publishes ${machine.project}.`,
      ),
      next: [{ command: `stele download 1 --output ../${slug}-1.zip` }],
    });
    const { code, err } = await machine.run(['download', '--output', 'named.zip']);
    expect([code, err]).toEqual([0, expect.stringContaining('stele deploy will publish named.zip.')]);
  });
});

describe('link, unlink, open, sites and delete', () => {
  it('links and unlinks a folder', async () => {
    const slug = await publish();
    expect(await machine.run(['unlink'])).toMatchObject({ code: 0 });
    await expect(access(join(machine.project, 'stele.json'))).rejects.toThrow();
    expect(await machine.json(['link', slug, '--folder', '.'])).toMatchObject({ site: slug });
    expect((await machine.run(['open', '--quiet'])).out).toContain(`//${slug}.`);
    expect(await machine.json(['link', 'cli-not-there'])).toMatchObject({ exitCode: 1, code: 'site_not_found' });
  });

  it('unlinks a folder with an invalid stele.json after a confirmation', async () => {
    await machine.write('stele.json', '{');
    expect(await machine.json(['deploys'])).toMatchObject({
      code: 'link_invalid',
      next: [{ command: 'stele unlink', when: 'to remove the file' }],
    });
    expect(await machine.json(['unlink'])).toMatchObject({
      exitCode: 4,
      detail: expect.stringContaining('stele.json is not valid JSON (line 1, column 2). Remove it?'),
    });
    expect(await machine.json(['unlink', '--yes'])).toMatchObject({ exitCode: 0, site: null });
    await expect(access(join(machine.project, 'stele.json'))).rejects.toThrow();
    execFileSync('mkfifo', [join(machine.project, 'stele.json')]);
    expect(await machine.json(['unlink', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await machine.json(['unlink', '--yes'])).toMatchObject({ exitCode: 1, code: 'not_linked' });
    await machine.write('stele.json/file', '');
    expect(await machine.json(['unlink', '--yes'])).toMatchObject({
      exitCode: 1,
      detail: `This is a folder and not a file: ${join(machine.project, 'stele.json')}.`,
    });
  });

  it('lists the sites that this machine can edit', async () => {
    const slug = await publish();
    expect(await machine.json(['sites'])).toMatchObject({ items: [], withoutOwner: [slug] });
  });

  it('deletes a site only after confirmation', async () => {
    const slug = await publish();
    expect(await machine.json(['delete'])).toMatchObject({ exitCode: 4, code: 'answer_needed' });
    await stele.api.get(`/v1/sites/${slug}`).expect(200);
    expect(await machine.json(['delete', '--yes'])).toMatchObject({ exitCode: 0, site: slug });
    await stele.visit(slug).expect(404);
  });
});

describe('login, whoami, claim and logout', () => {
  it('signs in through a browser on the same machine', async () => {
    const person = await browserOf(stele, 'cli-browser@example.org');
    // A script replaces the browser. It writes the address that it should open to a pipe, which this test reads.
    const opened = join(machine.folder, 'opened');
    execFileSync('mkfifo', [opened]);
    const browser = join(machine.folder, 'browser.sh');
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
    const child = machine.start(['login', '--browser', '--json'], { env: { BROWSER: browser } });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const address = new URL(await readFile(opened, 'utf8'));
    expect([...address.searchParams.keys()]).toEqual(['challenge', 'state', 'redirect_uri']);
    const asked = Object.fromEntries(address.searchParams);
    const { headers } = await person.press('/v1/auth/cli', 'approve', asked).expect(303);
    const done = await person.open(headers.location ?? '').expect(200);
    await fetch(/^0;url=(.*)$/.exec(done.headers.refresh ?? '')?.[1] ?? '');
    expect(await new Promise((ended) => child.once('close', ended))).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, user: { email: 'cli-browser@example.org' } });
    expect(out).not.toContain('stele_session');
    expect((await machine.run(['whoami', '--quiet'])).out).toBe('cli-browser@example.org\n');
    expect(await machine.run(['logout'])).toMatchObject({ code: 0 });
    expect(await machine.json(['whoami'])).toMatchObject({ exitCode: 3, code: 'not_signed_in' });
  });

  it('signs in with a code that is approved on another device', async () => {
    const person = await browserOf(stele, 'cli-code@example.org');
    const child = machine.start(['login', '--code', '--json']);
    let said = '';
    const address = await new Promise<string>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        const found = /^ {2}(https?:\S+)\n {2}\S+/m.exec(said)?.[1];
        if (found) resolve(found);
      });
    });
    await person.press(new URL(address).pathname, 'approve').expect(303);
    expect(await new Promise((ended) => child.once('close', ended))).toBe(0);
    expect(await machine.json(['whoami'])).toMatchObject({
      user: { email: 'cli-code@example.org' },
      credential: 'session',
    });
  });

  it('login fails in a script instead of waiting for approval', async () => {
    expect(await machine.json(['login'])).toMatchObject({ exitCode: 3, code: 'not_signed_in' });
  });

  it('claims a site for the signed-in user, who no longer needs the edit token', async () => {
    const slug = await publish();
    const kept = JSON.parse(await readFile(machine.credentials, 'utf8')).instances[stele.base];
    const { token } = await signIn(stele, 'cli-claim@example.org');
    const credentials = { version: 1, current: stele.base, instances: { [stele.base]: { ...kept, token } } };
    await writeFile(machine.credentials, JSON.stringify(credentials));
    expect(await machine.json(['claim'])).toMatchObject({
      exitCode: 0,
      slug,
      user: { email: 'cli-claim@example.org' },
    });
    expect(await machine.json(['deploy'])).toMatchObject({ exitCode: 0, slug, credential: 'session' });
  });

  it('uses the session for a site that the signed-in user has claimed elsewhere', async () => {
    const slug = await publish();
    const kept = JSON.parse(await readFile(machine.credentials, 'utf8')).instances[stele.base];
    const { token, bearer } = await signIn(stele, 'cli-claimed-elsewhere@example.org');
    await stele.api.post('/v1/claim/session').set(bearer).send({ slug, editToken: kept.editTokens[slug] }).expect(200);
    const credentials = { version: 1, current: stele.base, instances: { [stele.base]: { ...kept, token } } };
    await writeFile(machine.credentials, JSON.stringify(credentials));
    expect(await machine.json(['deploy'])).toMatchObject({ exitCode: 0, slug, credential: 'session' });
    expect((await readFile(machine.credentials, 'utf8')).includes('stele_edit_')).toBe(false);
  });

  it('sends an email with a link that claims the site', async () => {
    const slug = await publish();
    const printed = await machine.json(['claim', '--email', 'cli-link@example.org']);
    expect(printed).toMatchObject({ exitCode: 0, site: slug, status: 'sent' });
    expect((await newestMail(stele, 'cli-link@example.org')).text).toContain(slug);
    expect((await machine.run(['claim', '--email', 'cli-link@example.org'])).out).toMatch(
      new RegExp(
        `^Sent a link to c\\S+@example.org\\. Open it within \\d+ minutes to claim ${slug}, then run stele login\\.\n$`,
      ),
    );
  });
});

describe('stele repo', () => {
  it('creates a named site only if --create is given', async () => {
    await signInAs('cli-repo@example.org');
    const words = ['repo', 'https://git.example.org/a/b', '--site', 'cli-repo-named', '--no-wait'];
    expect(await machine.json(words)).toMatchObject({ exitCode: 1, code: 'site_not_found' });
    expect(await machine.json([...words, '--create'])).not.toMatchObject({ code: 'site_not_found' });
  });
});

describe('on Windows', () => {
  it('stores credentials in %APPDATA% and hashes of files in %LOCALAPPDATA%, unless the XDG variables are set', async () => {
    const hook = join(machine.folder, 'windows.cjs');
    await writeFile(hook, "Object.defineProperty(process, 'platform', { value: 'win32' });");
    const [roaming, local] = [join(machine.folder, 'roaming'), join(machine.folder, 'local')];
    const windows = { NODE_OPTIONS: `--require=${hook}`, APPDATA: roaming, LOCALAPPDATA: local };
    await machine.write('site/index.html', 'hello');
    const deploy = (env: Record<string, string>) => machine.json(['deploy', 'site', '--no-link'], { env });
    expect(await deploy(windows)).toMatchObject({ exitCode: 0 });
    await expect(access(roaming)).rejects.toThrow('ENOENT');
    await expect(access(local)).rejects.toThrow('ENOENT');
    expect(await deploy({ ...windows, XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' })).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(roaming, 'stele', 'credentials.json'), 'utf8')).toContain('stele_edit_');
    expect((await stat(join(local, 'stele', 'cache'))).isDirectory()).toBe(true);
  });
});

describe('settings of a site', () => {
  it('manages secrets, reading their values only from standard input', async () => {
    await signInAs('cli-secrets@example.org');
    await publish();
    expect(await machine.json(['secrets', 'set', 'API_KEY'], { input: 'value\n' })).toMatchObject({
      name: 'API_KEY',
      version: 1,
    });
    expect(await machine.json(['secrets', 'set', 'API_KEY'])).toMatchObject({ exitCode: 2, code: 'usage' });
    expect((await machine.run(['secrets', 'list', '--quiet'])).out).toBe('API_KEY\n');
    expect(await machine.json(['secrets', 'delete', 'API_KEY', '--yes'])).toMatchObject({ exitCode: 0 });
  });

  it('manages access, names, capabilities and domains', async () => {
    await signInAs('cli-settings@example.org');
    const slug = await publish();
    expect(await machine.json(['access', 'members'])).toMatchObject({ visibility: 'members' });
    expect(await machine.json(['access', 'password'], { input: 'correct horse\n' })).toMatchObject({
      visibility: 'password',
    });
    expect(await machine.json(['access', 'nobody'])).toMatchObject({ exitCode: 2 });
    expect(await machine.json(['capabilities', 'spa', '--on'])).toMatchObject({ name: 'spa', enabled: true });
    expect((await machine.run(['capabilities', '--quiet'])).out).toBe('spa\n');
    expect(await machine.json(['rename', `${slug}-new`])).toMatchObject({ slug: `${slug}-new` });
    expect(JSON.parse(await readFile(join(machine.project, 'stele.json'), 'utf8'))).toMatchObject({
      site: `${slug}-new`,
    });
    expect((await machine.run(['domains', 'add', 'cli.example.org'])).out).toContain('_stele.cli.example.org');
    expect(await machine.json(['domains', 'list'])).toMatchObject({ items: [{ hostname: 'cli.example.org' }] });
    expect(await machine.json(['domains', 'remove', 'cli.example.org', '--yes'])).toMatchObject({ exitCode: 0 });
  });

  it('manages members, invites and tokens', async () => {
    await signInAs('cli-people@example.org');
    const slug = await publish();
    const { id } = await machine.json(['invite', 'cli-friend@example.org', '--role', 'viewer']);
    expect(await machine.json(['members', 'list'])).toMatchObject({ items: [{ role: 'owner' }], invites: [{ id }] });
    expect(await machine.json(['members', 'role', 'CLI-friend@example.org', 'editor'])).toMatchObject({
      code: 'invite_pending',
      next: [{ command: `stele invite cli-friend@example.org --role editor --site ${slug}` }],
    });
    expect(await machine.json(['members', 'role', String(id), 'editor'])).toMatchObject({ code: 'invite_pending' });
    expect(await machine.json(['members', 'role', 'cli-people@example.org', 'owner'])).toMatchObject({ role: 'owner' });
    expect(await machine.json(['members', 'role', 'cli-other@example.org', 'owner'])).toMatchObject({
      code: 'not_found',
    });
    expect(await machine.json(['members', 'remove', 'cli-friend@example.org', '--yes'])).toMatchObject({ id });
    expect(await machine.json(['members', 'list'])).toMatchObject({ invites: [] });
    const { id: other } = await machine.json(['invite', 'cli-other@example.org']);
    expect(await machine.json(['members', 'remove', String(other), '--yes'])).toMatchObject({ exitCode: 0 });
    const token = (await machine.run(['tokens', 'create', 'ci', '--quiet'])).out.trim();
    expect(token).toMatch(/^stele_pat_/);
    const ci = { CI: 'true', STELE_TOKEN: token };
    expect(await machine.json(['deploy', '--site', slug], { env: ci })).toMatchObject({
      exitCode: 0,
      credential: 'variable',
    });
    const { items } = await machine.json(['tokens', 'list']);
    const [{ id: tokenId }] = items as [{ id: string }];
    expect(await machine.json(['tokens', 'delete', tokenId, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await machine.json(['deploy', '--site', slug], { env: ci })).toMatchObject({
      exitCode: 3,
      code: 'unauthenticated',
    });
  });

  it('shows changes to a site as they happen', async () => {
    await publish('one');
    const child = machine.start(['watch']);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const shown = once(child.stdout, 'data');
    await once(child.stderr, 'data');
    await publish('two');
    const [line] = await shown;
    expect(String(line)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Deploy 2: 1 file, .*\n/);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  }, 30_000);

  it('shows how many people visited a site', async () => {
    await signInAs('cli-analytics@example.org');
    const slug = await publish();
    await machine.run(['capabilities', 'analytics', '--on']);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await stele.visit(slug).set('user-agent', firefox).expect(200);
    // A visit is counted within some seconds.
    while ((await machine.run(['analytics', '--quiet'])).out !== '1\n');
    const { out } = await machine.run(['analytics']);
    expect(out).toMatch(
      /^ +THIS PERIOD +PREVIOUS PERIOD\nvisitors +1 +0\nvisits +1 +0\npageviews +1 +0\ntraffic +5 bytes +0 bytes\n/,
    );
    expect(out).toMatch(/\n\nPAGE +VISITORS +PAGEVIEWS\n\/ +1 +1\n$/);
    expect(await machine.json(['analytics'])).toMatchObject({ ok: true, totals: { visitors: 1, pageviews: 1 } });
  }, 60_000);

  it('prints the log as one JSON object per line with --json', async () => {
    await publish();
    const { out } = await machine.run(['logs', '--kind', 'deploy', '--json']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ kind: 'deploy' }]);
  });

  it('appends each entry of the log to STELE_OUTPUT_FILE, and warns only once if it cannot be written', async () => {
    await publish('one');
    await publish('two');
    const file = join(machine.folder, 'results.ndjson');
    const { out } = await machine.run(['logs', '--kind', 'deploy'], { env: { STELE_OUTPUT_FILE: file } });
    const entries = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(entries.map((line) => JSON.parse(line))).toMatchObject([{ kind: 'deploy' }, { kind: 'deploy' }]);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    const { code, err } = await machine.run(['logs'], { env: { STELE_OUTPUT_FILE: '/dev/null/results' } });
    expect([code, err.match(/STELE_OUTPUT_FILE could not be written/g)]).toEqual([0, [expect.any(String)]]);
  });
});

describe('lists', () => {
  let server: Server;
  let env: Record<string, string>;

  /** Starts an instance in which every list has 150 entries. */
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://localhost');
      const [limit, page] = ['limit', 'page'].map((name) => Number(searchParams.get(name)));
      const length = Math.min(limit ?? 0, 150 - (limit ?? 0) * ((page ?? 1) - 1));
      const at = '2026-11-29T00:00:00Z';
      const names = {
        id: 'id',
        slug: 'slug',
        name: 'NAME',
        hostname: 'a.example',
        url: 'http://a.example',
        issuer: 'a',
      };
      const others = {
        status: 'live',
        role: 'owner',
        visibility: 'public',
        summary: '',
        bytes: 1,
        actor: {},
        claims: {},
      };
      const items = Array.from({ length }, () => ({ ...names, ...others, at, createdAt: at, updatedAt: at }));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ items, page, limit, total: 150 }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    env = { STELE_INSTANCE: `http://127.0.0.1:${port}`, STELE_TOKEN: 'stele_pat_x', STELE_SITE: 'a-site' };
  });
  afterAll(() => {
    server?.close();
  });

  it.each(['members', 'tokens', 'publishers', 'secrets', 'domains'])('stele %s list shows all pages', async (name) => {
    const { items } = await machine.json([name, 'list'], { env });
    expect(items).toHaveLength(150);
  });

  it.each(['sites', 'deploys', 'history', 'jobs list'])('stele %s says that there are more pages', async (command) => {
    const run = (...options: string[]) => machine.run([...command.split(' '), '--limit', '70', ...options], { env });
    expect(await run()).toMatchObject({ code: 0, err: 'This is page 1 of 3. To see more, add --page 2.\n' });
    expect(await run('--page', '3')).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^(.*\n){11}$/) });
  });
});

describe('if no instance responds', () => {
  it('every command exits with 5 and prints a JSON object', async () => {
    const env = { STELE_INSTANCE: 'http://127.0.0.1:9', STELE_TOKEN: 'stele_pat_x' };
    await machine.write('index.html', 'hello');
    for (const words of [['deploy'], ['rollback', '--site', 'a'], ['sites'], ['whoami'], ['instances', 'check']])
      expect(await machine.json(words, { env })).toMatchObject({ ok: false, exitCode: 5, code: 'network' });
  }, 60_000);

  it('suggested commands name the instance only if they would otherwise use another one', async () => {
    const hints = async (words: readonly string[], env = {}) =>
      ((await machine.json(words, { env })).next as { command: string }[]).map(({ command }) => command);
    await machine.run(['instances', 'use', stele.base]);
    const usual = { STELE_INSTANCE: '' };
    expect((await hints(['whoami'], usual))[0]).toBe('stele login');
    const other = 'http://127.0.0.1:9';
    expect((await hints(['whoami', '--instance', other], usual))[0]).toBe(`stele login --instance ${other}`);
    expect((await hints(['whoami'], { STELE_INSTANCE: other }))[0]).toBe('stele login');
    const check = `stele instances check --instance ${other}`;
    expect(await hints(['login', other, '--code'], usual)).toEqual([check]);
    expect(await hints(['instances', 'use', other], usual)).toEqual([check]);
    expect(await hints(['instances', 'check', '--instance', other], usual)).toEqual([]);
    await machine.write('index.html', 'hello');
    expect((await hints(['deploy', '--no-link'], usual))[0]).toMatch(/^stele delete --site \S+$/);
    await writeFile(machine.credentials, JSON.stringify({ version: 1, current: other, instances: {} }));
    const deployed = await hints(['deploy', '--no-link', '--instance', stele.base], usual);
    expect(deployed[0]).toContain(` --instance ${stele.base}`);
  }, 60_000);

  it('rejects the address of an instance if a shell would interpret it', async () => {
    const printed = await machine.json(['whoami', '--instance', 'http://$(id)']);
    expect(printed).toMatchObject({ exitCode: 2, code: 'usage', next: [] });
  });

  it('errors in a terminal name arguments and options, and do not mention HTTP', async () => {
    await signInAs('cli-words@example.org');
    const slug = await publish();
    const errorOf = async (...words: string[]) => /^Error: (.*)$/m.exec((await machine.run(words)).err)?.[1];
    expect(await errorOf('rename', 'A b')).toMatch(/^NAME must /);
    expect(await errorOf('deploy', '--site', 'A b', '--create')).toMatch(/^--site must /);
    expect(await errorOf('invite', 'nobody')).toMatch(/^EMAIL must /);
    expect(await errorOf('tokens', 'create', 'a', '--expires', 'soon')).toMatch(/^--expires must /);
    expect(await errorOf('logs', '--kind', 'x')).toMatch(/^--kind must /);
    expect(await errorOf('secrets', 'delete', 'A', '--site', 'A b', '--yes')).not.toContain('NAME');
    const { err } = await machine.run(['members', 'list', '--site', slug], { env: { STELE_TOKEN: 'stele_pat_x' } });
    expect(err).not.toMatch(/header|Authorization|x-svc|POST/);
    const json = await machine.json(['invite', 'nobody']);
    expect(json).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('`email`') });
  }, 60_000);

  it('a command exits with a usage error if no instance is configured', async () => {
    const printed = await machine.json(['whoami'], { env: { STELE_INSTANCE: '' } });
    expect(printed).toMatchObject({ exitCode: 2, code: 'usage' });
  });
});
