// needs: database, git, tmux

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CuttingProxy } from '../support/cli/cutting-proxy.js';
import { CommandLine } from '../support/cli/stele-command.js';
import { Terminal, withoutChance } from '../support/cli/terminal.js';
import { signIn } from '../support/people/sign-in.js';
import { visitorOf } from '../support/people/site-visitor.js';
import { browserOf } from '../support/people/terminal-sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

const MIB = 1024 * 1024;

/** Part of an escape sequence that chooses a color. Hints are dimmed even without colors, and 39 is the default color. */
const COLOR = /\[[39][0-7]m/;

describe('stele in a terminal', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let host: GitHost;
  const fetching = Promise.withResolvers<void>();
  let machine: CommandLine;
  let terminal: Terminal;

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-terminal');
    // The build of this repository waits until the test lets it continue.
    host = await GitHost.open(async ({ url = '' }) => {
      if (url.startsWith('/held.git')) await fetching.promise;
      return false;
    });
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: host.listed } });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host?.close();
    await temporary.remove();
  });
  beforeEach(async () => {
    machine = await CommandLine.create(stele.base);
    terminal = await Terminal.open(machine);
  });
  afterEach(async () => {
    await terminal?.close();
    await machine?.remove();
  });

  /** Types a command into an empty terminal, and returns what it shows when the prompt is back. */
  async function show(command: string): Promise<string> {
    await terminal.type(`clear; ${command}; echo "exit $?"`);
    const screen = await terminal.see(/^exit \d+\n\$ $/m);
    return withoutChance(screen.slice(0, screen.lastIndexOf('\n')));
  }

  it('shows the output of a first deploy, a second deploy and a rollback', async () => {
    await machine.write('dist/index.html', '<h1>One</h1>');
    await machine.write('dist/.env', 'SECRET=1');
    expect(await show('stele deploy --no-color')).toBe(
      [
        'Found     dist: 1 file, 12 bytes',
        'Left out  .env (blocked by the service)',
        'Changes   a new site with 1 file',
        'Watch     http://HOST/runs/RUN',
        'Sending   1 file, 12 bytes',
        'LIVE  http://SITE.HOST/',
        '      Deploy 1 in N s, new site SITE',
        'Claim     stele claim   to move the site into your account',
        'Linked    stele.json remembers the site. Commit it.',
        'Undo      stele delete --site SITE',
        'exit 0',
      ].join('\n'),
    );
    await machine.write('dist/index.html', '<h1>Two</h1>');
    await machine.write('dist/new page.html', 'new');
    const second = await show('stele deploy --no-color --message Second');
    expect(second).toContain(
      'Changes   1 added, 1 changed, 0 unchanged\n          + new page.html\n          ~ index.html\n',
    );
    expect(second).toContain('LIVE  http://SITE.HOST/\n      Deploy 2 in N s, site SITE (from stele.json)\n');
    expect(await show('stele rollback --no-color')).toBe(
      ['LIVE  http://SITE.HOST/', '      Deploy 1', 'Undo      stele rollback 2 --site SITE', 'exit 0'].join('\n'),
    );
  }, 120_000);

  it.each([
    ['a large file', 'media', /^Sending +1 file, 16 MiB\n(?=█)/m, '16 MiB'],
    ['an archive', 'site', /^Sending +one archive, 7\.0 MiB\n(?=█)/m, '7.0 MiB'],
    ['a page', 'page.html', /^Found +page\.html: 16 MiB\nWatch +\S+\n(?=█)/m, '16 MiB'],
  ])(
    'shows how much of %s was sent, how fast, and how long the rest will take',
    async (_, source, before, size) => {
      await machine.write('media/large.bin', randomBytes(16 * MIB));
      for (const name of ['index.html', 'a.bin']) await machine.write(`site/${name}`, randomBytes(3.5 * MIB));
      await machine.write('page.html', Buffer.alloc(16 * MIB, 'a'));
      const recording = join(machine.folder, 'recording');
      await terminal.record(recording);
      const proxy = await CuttingProxy.open(stele.port);
      // Pauses the connection immediately, before the rest can be sent.
      const held = proxy.sends(2 * MIB).then(() => proxy.hold());
      await terminal.type(`clear; STELE_INSTANCE=${proxy.url} stele deploy ${source} --no-color`);
      await held;
      // The system buffers data that the proxy has not received yet, perhaps even the whole archive.
      expect(await terminal.see(new RegExp(`█░* [1-9]\\d*% {2}\\S+ MiB of ${size}`))).toMatch(before);
      proxy.release();
      await terminal.see(/^LIVE/m);
      proxy.close();
      // The rate disappears from the screen when nothing has been sent for some seconds, but not from the recording.
      let recorded = '';
      while (!recorded.includes('LIVE')) recorded = await readFile(recording, 'utf8');
      expect(recorded).toMatch(new RegExp(`of ${size} {2}\\S+ \\SiB/s {2}\\S+ s left`));
    },
    120_000,
  );

  it('shows why a deploy was refused', async () => {
    await machine.write('site/index.html', 'hello');
    await machine.write('site/back\\slash', 'b');
    const screen = await show('stele deploy site --no-color');
    expect(screen).toContain('Error: back\\slash: ');
    expect(screen.endsWith('exit 1')).toBe(true);
  });

  it('asks which folder to deploy if several could be the site', async () => {
    await machine.write('dist/index.html', 'dist');
    await machine.write('public/index.html', 'public');
    await terminal.type('clear; stele deploy --no-color');
    await terminal.see(/Several folders here could be the site[\s\S]*dist[\s\S]*public/);
    await terminal.press('Down');
    await terminal.press('Enter');
    expect(await terminal.see(/Deploy 1 in/)).toContain('Found     public: 1 file, 6 bytes');
  });

  it('treats a terminal whose size is unknown as 80 columns wide', async () => {
    await machine.write('dist/index.html', 'dist');
    await machine.write('public/index.html', 'public');
    await terminal.type('clear; stty cols 0 rows 0; stele deploy --no-color');
    const screen = await terminal.see(/● dist\n.*○ public/);
    expect(screen).toContain('Several folders here could be the site. Which one should be deployed?\n');
    await terminal.press('Enter');
    await terminal.see(/Deploy 1 in/);
  });

  it('asks for a secret or a password, and never shows what is typed', async () => {
    const { token } = await signIn(stele, 'cli-terminal-secrets@example.org');
    await machine.write('index.html', 'hello');
    const { slug } = await machine.json(['deploy'], { env: { STELE_TOKEN: token } });
    const recording = join(machine.folder, 'recording');
    await terminal.type(`export STELE_TOKEN=${token}`);
    await terminal.record(recording);
    for (const command of ['secrets set API_KEY', 'access password']) {
      await terminal.type(`clear; stele ${command} --no-color; echo "exit $?"`);
      await terminal.see(/The (value of API_KEY|password)$/m);
      await terminal.type('correct horse');
      const screen = await terminal.see(/^exit \d+$/m);
      expect(screen).toMatch(/(Set API_KEY, version 1|visitors who have the password)\.\nexit 0\n/);
    }
    await terminal.type('clear; stele secrets set API_KEY --no-color; echo "exit $?"');
    await terminal.see(/The value of API_KEY$/m);
    await terminal.press('C-c');
    await terminal.see(/^exit 130$/m);
    await terminal.type('clear; stele secrets set API_KEY --no-color; echo "exit $?"');
    await terminal.see(/The value of API_KEY$/m);
    await terminal.type('first horse\nsecond horse');
    expect(await terminal.see(/^exit 2$/m)).toContain('has more than one line. Pass it from a file or a pipe instead.');
    expect(await readFile(recording, 'utf8')).not.toContain('horse');
    await visitorOf(stele, `${slug}.localhost:${stele.port}`).byPassword('correct horse');
  }, 60_000);

  it('suggests signing in when it asks for an email address to claim a site', async () => {
    await machine.write('index.html', 'hello');
    await machine.json(['deploy']);
    await terminal.type('clear; stele claim --no-color; echo "exit $?"');
    const screen = await terminal.see(/To which email address should the link be sent\?/);
    expect(screen).toContain('To sign in instead, cancel and run stele login.\n');
    await terminal.type('cli-terminal-claim@example.org');
    await terminal.see(/Sent a link to \S+ Open it within \d+ minutes to claim/);
  }, 60_000);

  it('shows a sign-in code, and continues once someone approves it on another device', async () => {
    await terminal.type('clear; stele login --code --no-color');
    const screen = await terminal.see(/ {2}http\S+\n {2}\S+ ?$/m);
    expect(withoutChance(screen)).toContain(
      'Open this address on any device, and check that the page shows this code:\n  http://HOST/',
    );
    const [address = ''] = /http\S+/.exec(screen) ?? [];
    const person = await browserOf(stele, 'cli-terminal@example.org');
    await person.press(new URL(address).pathname, 'approve').expect(303);
    await terminal.see(/Signed in to \S+ as cli-terminal@example\.org\./);
  }, 60_000);

  it('signs in with a browser on this machine', async () => {
    const person = await browserOf(stele, 'cli-terminal-browser@example.org');
    // A script replaces the browser. It writes the address that it should open to a pipe, which this test reads.
    const [opened, browser] = [join(machine.folder, 'opened'), join(machine.folder, 'browser.sh')];
    execFileSync('mkfifo', [opened]);
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
    await terminal.type(`clear; BROWSER=${browser} stele login --no-color; echo "exit $?"`);
    const address = new URL(await readFile(opened, 'utf8'));
    const asked = Object.fromEntries(address.searchParams);
    const { headers } = await person.press('/v1/auth/cli', 'approve', asked).expect(303);
    const done = await person.open(headers.location ?? '').expect(200);
    await fetch(/^0;url=(.*)$/.exec(done.headers.refresh ?? '')?.[1] ?? '');
    const screen = await terminal.see(/^exit \d+$/m);
    expect(screen).toMatch(/^Approve the sign-in in your browser\. If it did not open:\n {2}http/);
    expect(screen).toMatch(/\nSigned in to \S+ as cli-terminal-browser@example\.org\.\nexit 0\n/);
  }, 60_000);

  it('shows the progress of a build until the site is live', async () => {
    host.commit('followed', { 'index.html': 'From a repository' });
    const screen = await show(`stele repo ${host.url('followed')} --no-color`);
    const lines = screen.split('\n');
    expect(lines[0]).toBe('Building SITE: http://HOST/jobs/JOB');
    expect(lines.slice(-2)).toEqual(['LIVE  http://SITE.HOST/', 'exit 0']);
    expect(lines.length).toBeGreaterThan(4);
  }, 60_000);

  it('asks before deleting a site, and Ctrl-C cancels the deletion', async () => {
    await machine.write('index.html', 'hello');
    const { slug } = await machine.json(['deploy']);
    await terminal.type('clear; stele delete --no-color; echo "exit $?"');
    await terminal.see(/Delete the site/);
    await terminal.press('C-c');
    await terminal.see(/exit 130/);
    await stele.visit(String(slug)).expect(200);
  });

  it('asks questions in color, unless --no-color is given', async () => {
    await machine.write('dist/index.html', 'dist');
    await machine.write('public/index.html', 'public');
    for (const [option, hasColor] of [
      ['', true],
      ['--no-color', false],
    ] as const) {
      await terminal.type(`clear; stele deploy ${option}; echo "exit $?"`);
      await terminal.see(/● dist\n.*○ public/);
      expect([option, COLOR.test(await terminal.readColors())]).toEqual([option, hasColor]);
      await terminal.press('C-c');
      await terminal.see(/^exit 130$/m);
    }
  }, 60_000);

  it('commands write only their results to standard output when it is a pipe', async () => {
    const pipe = async (...words: string[]) => {
      const { code, out } = await machine.run(words);
      return [code, withoutChance(out)];
    };
    await machine.write('dist/index.html', 'one');
    expect(await pipe('deploy')).toEqual([0, 'LIVE  http://SITE.HOST/\n      Deploy 1 in N s, new site SITE\n']);
    await machine.write('dist/index.html', 'two');
    const second = 'LIVE  http://SITE.HOST/\n      Deploy 2 in N s, site SITE (from stele.json)\n';
    expect(await pipe('deploy')).toEqual([0, second]);
    expect(await pipe('deploy', 'nowhere')).toEqual([2, '']);
    expect(await pipe('rollback')).toEqual([0, 'LIVE  http://SITE.HOST/\n      Deploy 1\n']);
    host.commit('piped', { 'index.html': 'From a repository' });
    expect(await pipe('repo', host.url('piped'))).toEqual([0, 'LIVE  http://SITE.HOST/\n']);

    const person = await browserOf(stele, 'cli-piped@example.org');
    const child = machine.start(['login', '--code']);
    let [out, said] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const address = new Promise<URL>((resolve) =>
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        const found = /^ {2}(http\S+)\n {2}\S+\n/m.exec(said)?.[1];
        if (found) resolve(new URL(found));
      }),
    );
    await person.press((await address).pathname, 'approve').expect(303);
    expect(await new Promise((ended) => child.once('close', ended))).toBe(0);
    expect(withoutChance(out)).toBe('Signed in to http://HOST as cli-piped@example.org.\n');
  }, 120_000);

  it('Ctrl-C ends a command that follows a build, and the build continues', async () => {
    host.commit('held', { 'index.html': 'From a repository' });
    const child = machine.start(['repo', host.url('held')]);
    let said = '';
    const following = new Promise<void>((resolve) =>
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        // The lines after the first one come from the stream of the build.
        if (/^Building .*\n.+\n/.test(said)) resolve();
      }),
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    await following;
    child.kill('SIGINT');
    expect([await ended, said]).toEqual([130, expect.stringMatching(/^Error: Interrupted\.$/m)]);
    fetching.resolve();
    const [, slug = '', id = ''] = /^Building (\S+): \S+\/(job_\w+)$/m.exec(said) ?? [];
    expect((await machine.run(['jobs', 'log', id, '--site', slug])).code).toBe(0);
    expect((await stele.visit(slug)).text).toBe('From a repository');
  }, 60_000);

  it('Ctrl-C ends a deploy while it reads a large file', async () => {
    await machine.write('dist/index.html', 'hello');
    // The file is sparse: it uses no blocks on the disk, but takes seconds to hash.
    const large = join(machine.project, 'dist/large.bin');
    await writeFile(large, '');
    await truncate(large, 16 * 1024 ** 3);
    const child = machine.start(['deploy']);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const isReading = async () => {
      const descriptors = await readdir(`/proc/${child.pid}/fd`).catch(() => []);
      const files = descriptors.map((name) => readlink(`/proc/${child.pid}/fd/${name}`).catch(() => ''));
      return (await Promise.all(files)).includes(large);
    };
    while (!(await isReading())) await delay(20);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  }, 60_000);
});
