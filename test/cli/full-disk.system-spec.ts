// needs: database

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLAIM, hasSiteOption, LOCAL, otherRequests, REQUESTS } from '../support/cli/every-command.js';
import { BUNDLE, CommandLine } from '../support/cli/stele-command.js';
import { canSetUpDisks, SmallDisk } from '../support/faults/small-disk.js';
import { signIn } from '../support/people/sign-in.js';
import { browserOf } from '../support/people/terminal-sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

// Only root can mount the small disk that the tests fill.
const asRoot = canSetUpDisks ? describe : describe.skip;

asRoot('stele on a full disk', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let machine: CommandLine;
  let disk: SmallDisk;
  let free: () => Promise<void>;
  /** Everything that the command writes is on the full disk: credentials, cache and project. */
  let full: { readonly XDG_CONFIG_HOME: string; readonly XDG_CACHE_HOME: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-full-disk');
    stele = await startStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    machine = await CommandLine.create(stele.base);
    disk = await SmallDisk.on(machine.project, 1024 * 1024);
    await machine.write('dist/index.html', 'hello');
    free = await disk.fill();
    full = { XDG_CONFIG_HOME: join(machine.project, 'config'), XDG_CACHE_HOME: join(machine.project, 'cache') };
  });
  afterEach(async () => {
    disk?.remove();
    await machine?.remove();
  });

  it('a deploy succeeds on a full disk, and reports what could not be stored', async () => {
    const { code, out, err } = await machine.run(['deploy'], { env: full });
    expect([code, out]).toEqual([0, expect.stringMatching(/^LIVE/)]);
    expect(err).toMatch(/The edit token of the site could not be stored/);
    expect(err).toMatch(/Keep this address, because it is the only way to claim the site: http/);
    expect(err).not.toMatch(/stele claim|stele.json/);
  });

  it('a download to a full disk fails, and leaves no partial archive behind', async () => {
    const { token, bearer } = await signIn(stele, 'cli-full-disk@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200);
    const env = { ...full, STELE_TOKEN: token };
    const printed = await machine.json(['download', '--site', site.slug, '--output', 'site.zip'], { env });
    expect(printed).toMatchObject({ ok: false, exitCode: 1, code: 'ENOSPC' });
    expect(printed.detail).toContain('The disk is full');
    expect((await readdir(machine.project)).filter((name) => name.includes('zip'))).toEqual([]);
  });

  it('a command whose output does not fit on the disk says so in one line', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', '"$0" "$1" completions bash >/dev/full', process.execPath, BUNDLE],
      {
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([1, 'Error: The output could not be written (ENOSPC).\n']);
  });

  it('commands that only read data succeed on a full disk', async () => {
    const { token } = await signIn(stele, 'cli-full-disk@example.org');
    for (const words of [['whoami'], ['sites'], ['instances', 'check']])
      expect(await machine.json(words, { env: { ...full, STELE_TOKEN: token } })).toMatchObject({ exitCode: 0 });
  });

  it('every command succeeds on a full disk, or reports the full disk or an error of the service', async () => {
    const { token, bearer } = await signIn(stele, 'cli-full-disk@example.org');
    const env = { ...full, STELE_TOKEN: token };
    const outcomes = new Map<string, unknown>();
    // Leaves out `logs` and `watch`, because they do not end by themselves.
    for (const words of REQUESTS.filter(([name]) => name !== 'logs' && name !== 'watch')) {
      const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200);
      const named = words.map((word) => (word === 'a-site' ? site.slug : word));
      const all = [...named, ...(hasSiteOption(words) ? ['--site', site.slug] : []), '--yes'];
      const { exitCode, code } = await machine.json(all, { env, input: 'value' });
      outcomes.set(words.join(' '), exitCode === 0 ? 'done' : code);
    }
    const written = [...outcomes].filter(([, outcome]) => outcome === 'ENOSPC').map(([words]) => words);
    expect(written).toEqual(['download 1 --output deploy.zip', 'link a-site']);
    for (const outcome of outcomes.values()) expect(['internal', 'network', 'unavailable']).not.toContain(outcome);
  }, 180_000);

  it('every command that changes the stored credentials reports the full disk', async () => {
    const { token } = await signIn(stele, 'cli-full-disk@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('<p>').expect(200);
    const instances = { [stele.base]: { token, editTokens: { [site.slug]: site.editToken } } };
    await free();
    await mkdir(join(full.XDG_CONFIG_HOME, 'stele'), { recursive: true });
    const file = join(full.XDG_CONFIG_HOME, 'stele', 'credentials.json');
    await writeFile(file, JSON.stringify({ version: 1, current: stele.base, instances }));
    await disk.fill();
    const claim = CLAIM.map((word) => (word === 'a-site' ? site.slug : word));
    for (const words of [claim, ...otherRequests(stele.base)])
      expect(await (words[0] === 'login' ? signInByCode(words) : machine.json(words, { env: full }))).toMatchObject({
        ok: false,
        exitCode: 1,
        code: 'ENOSPC',
      });
  }, 60_000);

  /** Runs `stele login --code`, and approves the sign-in. */
  async function signInByCode(words: readonly string[]) {
    const person = await browserOf(stele, 'cli-full-disk@example.org');
    const child = machine.start([...words, '--json'], { env: full });
    let [out, said] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const url = await new Promise<string>((resolve) =>
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        const found = /^ {2}(http\S+)\n {2}\S+\n/m.exec(said)?.[1];
        if (found) resolve(found);
      }),
    );
    await person.press(new URL(url).pathname, 'approve').expect(303);
    await ended;
    return JSON.parse(out);
  }

  it('every command that sends no requests succeeds on a full disk, unless it writes a file', async () => {
    await free();
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: 'a-site' }));
    await machine.write('netlify.toml', '[[redirects]]\nfrom = "/a"\nto = "/b"\n');
    await disk.fill();
    const outcomes = new Map<string, unknown>();
    for (const words of LOCAL) {
      const { exitCode, code } = await machine.json(words, { env: full });
      outcomes.set(words.join(' '), exitCode === 0 ? 'done' : code);
    }
    expect(Object.fromEntries(outcomes)).toEqual({
      'import --write .': 'ENOSPC',
      unlink: 'done',
      'instances list': 'done',
      'completions bash': 'done',
    });
  }, 60_000);

  it('a command succeeds even if STELE_OUTPUT_FILE cannot be written', async () => {
    const { token } = await signIn(stele, 'cli-full-disk@example.org');
    const env = { ...full, STELE_TOKEN: token, STELE_OUTPUT_FILE: join(machine.project, 'results') };
    const { code, err } = await machine.run(['whoami'], { env });
    expect([code, err]).toEqual([0, expect.stringContaining('STELE_OUTPUT_FILE could not be written')]);
  });
});
