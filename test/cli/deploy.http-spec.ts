import { readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/cli/stele-command.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

describe('stele deploy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let machine: CommandLine;

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-deploy');
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

  const show = async (slug: string, path = '/') => (await stele.visit(slug, path)).text;
  const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

  it('publishes the output of a build, remembers the site, and updates it the next time', async () => {
    await machine.write('dist/index.html', '<h1>One</h1>');
    await machine.write('dist/assets/app.js', 'let a;');
    await machine.write('package.json', '{}');
    const first = await machine.run(['deploy']);
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^LIVE {2}http:\/\/\S+\/\n +Deploy 1 in /) });
    expect(first.err).toContain('Found     dist: 2 files');
    const link = await readJson(join(machine.project, 'stele.json'));
    expect(link).toEqual({ instance: stele.base, site: expect.any(String), folder: 'dist' });
    expect(await show(link.site)).toBe('<h1>One</h1>');

    await machine.write('dist/index.html', '<h1>Two</h1>');
    await machine.write('dist/new.html', 'new');
    const second = await machine.run(['deploy', '-m', 'Second']);
    expect(second.code).toBe(0);
    expect(second.out).toContain('Deploy 2');
    expect(second.out).toContain('(from stele.json)');
    expect(second.err).toContain('Changes   1 added, 1 changed, 1 unchanged');
    expect(second.err).toContain(`Undo      stele rollback 1 --site ${link.site}`);
    expect(await show(link.site)).toBe('<h1>Two</h1>');
  });

  it('stores the edit token in a file that only the user can read, and never prints it', async () => {
    await machine.write('index.html', 'hello');
    const { out, err } = await machine.run(['deploy', '--json']);
    const { slug } = JSON.parse(out);
    const kept = await readJson(machine.credentials);
    const token = kept.instances[stele.base].editTokens[slug];
    expect(token).toMatch(/^stele_edit_\w{49}$/);
    expect((await stat(machine.credentials)).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(token);
    expect(await readFile(join(machine.project, 'stele.json'), 'utf8')).not.toContain('stele_edit');
  });

  it('prints one JSON object with the result and suggested next commands', async () => {
    await machine.write('site/index.html', 'hello');
    await machine.write('site/.env', 'SECRET=1');
    const printed = await machine.json(['deploy', 'site']);
    expect(printed).toMatchObject({
      ok: true,
      command: 'deploy',
      exitCode: 0,
      status: 'live',
      number: 1,
      files: 1,
      created: true,
      credential: 'none',
      warnings: [],
      runUrl: expect.stringMatching(/\/runs\/run_[0-9a-z]{26}$/),
      next: [{ command: `stele delete --site ${printed.slug}` }],
    });
  });

  it('warns about private keys before it sends them and in a dry run, also with annotations in CI', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n';
    await machine.write('site/index.html', 'hello');
    for (let n = 1; n <= 7; n++) await machine.write(`site/keys/${n}.pem`, key);
    const warning = 'This looks like a private key. To leave it out, add it to .steleignore.';
    for (const words of [
      ['deploy', 'site', '--anonymous', '--dry-run'],
      ['deploy', 'site', '--anonymous'],
    ]) {
      const { err } = await machine.run(words, { env: { GITHUB_ACTIONS: 'true' } });
      expect(err.match(/^Warning: .*/gm)).toEqual([
        ...[1, 2, 3, 4, 5].map((n) => expect.stringContaining(`keys/${n}.pem: `)),
        'Warning: 2 more private keys.',
      ]);
      expect(err).toContain(`Warning: keys/1.pem: ${warning}\n`);
      expect(err).toContain(`::warning file=keys/1.pem::${warning}\n`);
      const sending = err.indexOf('Sending');
      if (sending >= 0) expect(err.indexOf('Warning')).toBeLessThan(sending);
      const { warnings } = await machine.json(words);
      expect(warnings).toHaveLength(7);
      expect(warnings).toContainEqual({ file: 'keys/7.pem', message: warning });
    }
  });

  it('shows when a new anonymous site expires, in local time', async () => {
    await machine.write('index.html', 'hello');
    const { err } = await machine.run(['deploy', '--expires', '2d'], { env: { TZ: 'Asia/Tokyo' } });
    const date = /^Expires +(.*) \(in 2 days\), unless you claim it$/m.exec(err)?.[1] ?? err;
    const hours = (Date.parse(`${date} GMT+0900`) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(47.9);
    expect(hours).toBeLessThan(48.1);
  });

  it('refuses --expires for a site that exists or has an owner, before anything is sent', async () => {
    await machine.write('index.html', 'one');
    const refused = { exitCode: 2, code: 'usage', detail: '--expires works only for a new anonymous site.' };
    const { token } = await signIn(stele, 'cli-expires@example.org');
    expect(await machine.json(['deploy', '--expires', '2d'], { env: { STELE_TOKEN: token } })).toMatchObject(refused);
    expect(await machine.json(['deploy', '--expires', '2d'])).toMatchObject({ exitCode: 0, number: 1 });
    expect(await machine.json(['deploy', '--expires', '3d'])).toMatchObject(refused);
    expect(await machine.json(['deploy', 'index.html', '--expires', '3d', '--merge'])).toMatchObject(refused);
    expect(await machine.json(['deploys'])).toMatchObject({ total: 1 });
  });

  it('a deploy of the same files says that they are the same, and does not suggest undoing it', async () => {
    await machine.write('index.html', 'one');
    await machine.run(['deploy']);
    const { out, err } = await machine.run(['deploy']);
    expect(out).toMatch(/^LIVE .*\n +Deploy 2 in .*\n +Same files as deploy 1\n$/);
    expect(err).not.toContain('Undo');
    expect(await machine.json(['deploy'])).toMatchObject({ unchanged: true, previousNumber: 2, next: [] });
  });

  it('does not send files again that the service already has', async () => {
    for (let n = 0; n < 20; n++) await machine.write(`dist/${n}.txt`, `file ${n}`);
    await machine.write('dist/index.html', 'one');
    expect(await machine.json(['deploy'])).toMatchObject({ sent: { kind: 'archive', files: 21 } });
    await machine.write('dist/index.html', 'two');
    expect(await machine.json(['deploy'])).toMatchObject({ sent: { kind: 'files', files: 1, bytes: 3 } });
    expect(await machine.json(['deploy'])).toMatchObject({ sent: { kind: 'nothing', bytes: 0 }, unchanged: true });
  });

  it('publishes file names in any writing system unchanged', async () => {
    const names = ['a b.txt', 'ünï.txt', '日本語/ページ.txt', 'emoji 😀.txt', 'עברית.txt', '#hash?.txt', '100%.txt'];
    for (const name of names) await machine.write(`dist/${name}`, name);
    await machine.write('dist/index.html', 'index');
    const { slug } = await machine.json(['deploy', '--verify']);
    for (const name of names)
      expect(await show(String(slug), `/${name.split('/').map(encodeURIComponent).join('/')}`)).toBe(name);
  });

  it('keeps the paths of files that all share one top-level folder', async () => {
    await machine.write('dist/docs/index.html', 'docs');
    await machine.write('dist/docs/a.html', 'a');
    const { slug } = await machine.json(['deploy', 'dist']);
    expect(await show(String(slug), '/docs/')).toBe('docs');
  });

  it('fails in a script if several folders could be the site, and suggests a command for each folder', async () => {
    await machine.write('dist/index.html', 'dist');
    await machine.write('public/index.html', 'public');
    const printed = await machine.json(['deploy']);
    expect(printed).toMatchObject({ ok: false, exitCode: 4, code: 'answer_needed' });
    expect(printed.next).toEqual([
      { command: 'stele deploy dist', when: expect.any(String) },
      { command: 'stele deploy public', when: expect.any(String) },
    ]);
  });

  it('exits with 2 if there is nothing to deploy', async () => {
    await machine.write('package.json', '{}');
    expect(await machine.run(['deploy'])).toMatchObject({ code: 2, out: '' });
    expect(await machine.run(['deploy', 'missing'])).toMatchObject({ code: 2 });
  });

  it('publishes a single page or standard input', async () => {
    await machine.write('page.html', '<p>page</p>');
    const page = await machine.json(['deploy', 'page.html']);
    expect(await show(String(page.slug))).toBe('<p>page</p>');
    await machine.remove();
    machine = await CommandLine.create(stele.base);
    const piped = await machine.json(['deploy', '-'], { input: '<p>piped</p>' });
    expect(await show(String(piped.slug))).toBe('<p>piped</p>');
  });

  it('shows which live files a page or standard input changes and removes', async () => {
    const { token } = await signIn(stele, 'cli-replaced-by-page@example.org');
    const env = { STELE_TOKEN: token };
    await machine.write('site/index.html', 'one');
    await machine.write('site/a.txt', 'a');
    await machine.write('page.html', 'two');
    const { slug } = await machine.json(['deploy', 'site', '--no-link'], { env });
    const site = ['--site', String(slug)];
    const merged = await machine.run(['deploy', 'page.html', '--merge', ...site], { env });
    expect(merged.err).toContain('\nChanges   1 changed, 0 unchanged\n          ~ index.html\n');
    const page = await machine.run(['deploy', '-', '--json', ...site], { env, input: 'three' });
    expect(page.err).toContain(
      'Found     standard input: 5 bytes\nChanges   1 changed, 1 removed, 0 unchanged\n          ~ index.html\n          - a.txt\nWatch ',
    );
    const same = await machine.run(['deploy', '-', ...site], { env, input: 'three' });
    expect(same.err).toContain('\nChanges   none: the files are the same as the live ones\n');
    const first = await machine.run(['deploy', 'page.html', '--no-link'], { env });
    expect(first.err).toContain('Found     page.html: 3 bytes\nWatch ');
  });

  it('shows that an archive replaces all files of the live deploy', async () => {
    const { token } = await signIn(stele, 'cli-replaced-by-archive@example.org');
    const env = { STELE_TOKEN: token };
    await machine.write('site/index.html', 'one');
    await machine.write('site/a.txt', 'a');
    const { slug } = await machine.json(['deploy', 'site', '--no-link'], { env });
    const site = ['--site', String(slug)];
    await machine.run(['download', '--output', 'site.zip', ...site], { env });
    const deploy = async (...options: string[]) => {
      const { code, err } = await machine.run(['deploy', 'site.zip', ...site, ...options], { env });
      return [code, /^Changes .*/m.exec(err)?.[0]];
    };
    expect(await deploy('--draft')).toEqual([0, 'Changes   replaces all 2 files of deploy 1 when you make it live']);
    expect(await deploy()).toEqual([0, 'Changes   replaces all 2 files of deploy 1']);
    expect(await deploy()).toEqual([0, 'Changes   replaces all 2 files of deploy 3']);
    expect(await deploy('--merge')).toEqual([0, undefined]);
  });

  it('sends pages one by one if they compress so well that the service would refuse their archive', async () => {
    for (const name of ['index', 'one', 'two']) await machine.write(`dist/${name}.html`, `${name} `.repeat(200_000));
    expect(await machine.json(['deploy', 'dist'])).toMatchObject({ exitCode: 0, files: 3 });
  });

  it('refuses a file that is neither a page nor an archive', async () => {
    await machine.write('photo.png', new Uint8Array([137, 80, 78, 71, 0]));
    expect(await machine.json(['deploy', 'photo.png'])).toMatchObject({ exitCode: 2, code: 'usage' });
  });

  it('creates a site named with --site only if --create is given', async () => {
    const { token } = await signIn(stele, 'cli-names@example.org');
    const env = { STELE_TOKEN: token };
    await machine.write('index.html', 'hello');
    const refused = await machine.json(['deploy', '--site', 'cli-named-site'], { env });
    expect(refused).toMatchObject({ exitCode: 1, code: 'site_not_found' });
    expect(refused.next).toContainEqual({
      command: 'stele deploy --site cli-named-site --create',
      when: 'to create the site',
    });
    await machine.write('my site/index.html', 'hello');
    const { next } = await machine.json(['deploy', 'my site', '--site', 'cli-named-site'], { env });
    expect(next).toContainEqual(
      expect.objectContaining({ command: "stele deploy 'my site' --site cli-named-site --create" }),
    );
    const created = await machine.json(['deploy', '--site', 'cli-named-site', '--create'], { env });
    expect(created).toMatchObject({ exitCode: 0, slug: 'cli-named-site', created: true, credential: 'variable' });
    expect(await machine.json(['deploy', '--site', 'cli-named-site'], { env })).toMatchObject({
      created: false,
      number: 2,
    });
  });

  it('does not publish anonymously in CI or from a linked folder unless --anonymous is given', async () => {
    await machine.write('index.html', 'hello');
    expect(await machine.json(['deploy'], { env: { CI: 'true' } })).toMatchObject({
      exitCode: 3,
      code: 'not_signed_in',
    });
    const told = await machine.json(['deploy', '--anonymous'], { env: { CI: 'true' } });
    expect(told).toMatchObject({ exitCode: 0, created: true });
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: 'cli-somebody-elses' }));
    expect(await machine.json(['deploy'])).toMatchObject({ exitCode: 3, code: 'not_signed_in' });
  });

  it('recognizes a CI job by the variables of its service, even if CI is not set', async () => {
    await machine.write('index.html', 'hello');
    for (const env of [{ TF_BUILD: 'True' }, { JENKINS_URL: 'https://ci.example.org/' }])
      expect(await machine.json(['deploy'], { env })).toMatchObject({ exitCode: 3, code: 'not_signed_in' });
  });

  it('creates another anonymous site in a linked folder only with --no-link, and keeps the link', async () => {
    await machine.write('index.html', 'hello');
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: 'cli-somebody-elses' }));
    const refused = await machine.json(['deploy', '--anonymous']);
    expect(refused).toMatchObject({
      exitCode: 2,
      detail: expect.stringContaining('Linking a new anonymous site would replace this link.'),
      next: [{ command: 'stele deploy --anonymous --no-link' }, { command: 'stele unlink' }],
    });
    expect(await machine.json(['deploy', '--anonymous', '--no-link'])).toMatchObject({ exitCode: 0, created: true });
    expect(await readJson(join(machine.project, 'stele.json'))).toMatchObject({ site: 'cli-somebody-elses' });
  });

  it('updates the linked anonymous site with --anonymous', async () => {
    await machine.write('index.html', 'hello');
    const { slug } = await machine.json(['deploy', '--anonymous']);
    expect(await machine.json(['deploy', '--anonymous'])).toMatchObject({ slug, created: false, number: 2 });
  });

  it('does not send a token to an instance that is named only in stele.json', async () => {
    await machine.write('index.html', 'hello');
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: 'cli-a' }));
    const { token } = await signIn(stele, 'cli-foreign@example.org');
    const printed = await machine.json(['deploy'], { env: { STELE_TOKEN: token, STELE_INSTANCE: '' } });
    expect(printed).toMatchObject({ exitCode: 2, code: 'usage', detail: expect.stringContaining('stele.json') });
  });

  it('does not replace the linked site with another folder unless the site is named', async () => {
    await machine.write('dist/index.html', 'one');
    const { slug } = await machine.json(['deploy']);
    await machine.write('other/index.html', 'other');
    const refused = await machine.json(['deploy', 'other']);
    expect(refused).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(refused.next).toContainEqual({
      command: `stele deploy other --site ${slug}`,
      when: 'to replace the linked site',
    });
    expect(await show(String(slug))).toBe('one');
    expect(await machine.json(['deploy', 'other', '--site', String(slug)])).toMatchObject({ exitCode: 0, slug });
  });

  it('uses the stele.json in the folder that is named', async () => {
    await machine.write('inside/index.html', 'one');
    await machine.write('inside/stele.json', JSON.stringify({ site: 'cli-unknown-site' }));
    expect(await machine.json(['deploy', 'inside'])).toMatchObject({ exitCode: 3 });
  });

  it.each(['../private', '../../../../../etc', 'link'])(
    'refuses to publish %s, a folder outside the project that stele.json names',
    async (folder) => {
      await machine.write('../private/index.html', 'private');
      await symlink('/etc', join(machine.project, 'link'));
      await machine.write('stele.json', JSON.stringify({ folder }));
      expect(await machine.json(['deploy'])).toMatchObject({
        exitCode: 1,
        code: 'link_invalid',
        detail: expect.stringContaining('outside the folder of stele.json'),
      });
    },
  );

  it('refuses a token with a line break without printing it', async () => {
    const { code, out, err } = await machine.run(['whoami'], { env: { STELE_TOKEN: 'stele_pat_SECRET\nnext' } });
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toContain('SECRET');
  });

  it('does not send the identity token of a CI job to an instance that only stele.json names', async () => {
    await machine.write('index.html', 'one');
    await machine.write('stele.json', JSON.stringify({ instance: stele.base, site: 'a-site' }));
    const printed = await machine.json(['deploy'], {
      env: { STELE_INSTANCE: '', STELE_ID_TOKEN: 'a.b.c', CI: 'true' },
    });
    expect(printed).toMatchObject({ exitCode: 2, detail: expect.stringContaining('only stele.json names') });
  });

  it('removes the link when the linked site is deleted', async () => {
    await machine.write('index.html', 'one');
    await machine.run(['deploy']);
    expect(await machine.json(['delete', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await machine.json(['deploy'])).toMatchObject({ exitCode: 0, created: true });
  });

  it('stores a draft that a rollback can make live', async () => {
    await machine.write('index.html', 'one');
    const { slug } = await machine.json(['deploy']);
    await machine.write('index.html', 'two');
    const draft = await machine.run(['deploy', '--draft']);
    expect(draft.out).toMatch(/^STAGED {2}http:\/\/dep-/);
    expect(await show(String(slug))).toBe('one');
    expect(await machine.json(['rollback', '2'])).toMatchObject({ exitCode: 0, number: 2 });
    expect(await show(String(slug))).toBe('two');
  });

  it('refuses --draft for a new site before anything is sent', async () => {
    await machine.write('index.html', 'one');
    const { token } = await signIn(stele, 'cli-draft@example.org');
    for (const words of [[], ['--create', '--site', 'cli-draft-new']]) {
      const printed = await machine.json(['deploy', '--draft', ...words], { env: { STELE_TOKEN: token } });
      expect(printed).toMatchObject({
        exitCode: 2,
        code: 'usage',
        detail: '--draft works only for an existing site. The first deploy of a new site always goes live.',
      });
    }
    const missing = await machine.json(['deploy', '--draft', '--site', 'cli-draft-new'], {
      env: { STELE_TOKEN: token },
    });
    expect(missing).toMatchObject({ exitCode: 1, code: 'site_not_found' });
  });

  it('says why --verify cannot read a site that is not public', async () => {
    const { token } = await signIn(stele, 'cli-private@example.org');
    const env = { STELE_TOKEN: token };
    await machine.write('index.html', 'one');
    await machine.run(['deploy'], { env });
    await machine.run(['access', 'members'], { env });
    await machine.write('index.html', 'two');
    expect(await machine.json(['deploy', '--verify'], { env })).toMatchObject({
      exitCode: 1,
      code: 'not_verified',
      detail: expect.stringContaining('“members”. The deploy itself succeeded.'),
    });
  });

  it('--verify fails if a published file is served with other content, or not at all', async () => {
    await machine.write('index.html', 'index');
    const { slug } = await machine.json(['deploy', '--verify']);
    for (const name of ['replaced.txt', 'moved.txt', 'same.txt']) await machine.write(name, name);
    await machine.write('_redirects', '/replaced.txt /index.html 200!\n/moved.txt /index.html 301!\n');
    const { detail, ...printed } = await machine.json(['deploy', '--verify']);
    expect(printed).toMatchObject({
      ok: false,
      exitCode: 1,
      code: 'verification_failed',
      next: [{ command: `stele rollback --site ${slug}` }],
    });
    const [title, ...wrong] = String(detail).split('\n');
    expect(title).toMatch(/^http:\S+ does not serve what was published:$/);
    expect(wrong.sort()).toEqual(['moved.txt: status 301', 'replaced.txt: different content']);
    expect(await show(String(slug), '/same.txt')).toBe('same.txt');
  });

  it('keeps existing files of the site with --merge', async () => {
    await machine.write('index.html', 'one');
    await machine.write('a.txt', 'a');
    const { slug } = await machine.json(['deploy', '.']);
    await machine.write('part/b.txt', 'b');
    expect(await machine.json(['deploy', 'part', '--merge'])).toMatchObject({ exitCode: 0, files: 3 });
    expect(await show(String(slug), '/a.txt')).toBe('a');
    expect(await show(String(slug), '/b.txt')).toBe('b');
  });

  it('shows what would change with --dry-run, and changes nothing', async () => {
    await machine.write('index.html', 'one');
    const { slug } = await machine.json(['deploy']);
    await machine.write('index.html', 'two');
    expect(await machine.json(['deploy', '--dry-run'])).toMatchObject({
      dryRun: true,
      missing: 1,
      changes: { changed: [{ path: 'index.html' }], added: [], removed: [] },
    });
    expect(await show(String(slug))).toBe('one');
  });

  it('exits with 6 if the site has changed since the given revision', async () => {
    await machine.write('index.html', 'one');
    await machine.json(['deploy']);
    await machine.json(['deploy']);
    expect(await machine.json(['deploy', '--if-match', '2'])).toMatchObject({ exitCode: 6, code: 'revision_mismatch' });
    expect(await machine.json(['deploy', '--if-match', 'two'])).toMatchObject({
      exitCode: 2,
      code: 'usage',
      detail: '“two” is not a valid value of --if-match. It must be a revision, such as 7, or * for any.',
    });
  });

  it('lists every file path that the service would refuse', async () => {
    await machine.write('site/index.html', 'hello');
    await machine.write('site/trailing.', 'a');
    await machine.write('site/back\\slash', 'b');
    const printed = await machine.json(['deploy', 'site']);
    expect(printed).toMatchObject({ ok: false, exitCode: 1, code: 'invalid_path' });
    expect(printed.errors).toEqual([
      expect.objectContaining({ path: 'back\\slash' }),
      expect.objectContaining({ path: 'trailing.' }),
    ]);
  });

  it('prints only the URL with --quiet', async () => {
    await machine.write('index.html', 'hello');
    expect(await machine.run(['deploy', '--quiet'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^http\S+\n$/),
    });
  });

  it('appends results to STELE_OUTPUT_FILE', async () => {
    const file = join(machine.folder, 'results.ndjson');
    await machine.write('index.html', 'hello');
    await machine.run(['deploy', '--quiet'], { env: { STELE_OUTPUT_FILE: file } });
    await machine.run(['rollback', '99'], { env: { STELE_OUTPUT_FILE: file } });
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { ok: true, command: 'deploy', status: 'live' },
      { ok: false, command: 'rollback', code: 'deploy_not_found', exitCode: 1 },
    ]);
  });

  it('publishes its progress so that others can follow the deploy in a browser', async () => {
    await machine.write('index.html', 'hello');
    const { runUrl, url } = await machine.json(['deploy']);
    const runId = String(runUrl).split('/').pop();
    const { text } = await stele.raw
      .get(`/v1/cli/runs/${runId}/events`)
      .set('accept', 'application/x-ndjson')
      .expect(200);
    const events = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const lasting = events.filter(({ event }) => event !== 'run.progress');
    expect(lasting.map(({ event }) => event)).toEqual(['run.started', 'run.succeeded', 'end']);
    expect(lasting[1]).toMatchObject({ data: { data: { url } } });
  });

  it('exits with 130 on Ctrl-C and leaves the live deploy unchanged', async () => {
    await machine.write('index.html', 'one');
    const { slug } = await machine.json(['deploy']);
    await machine.write('large.bin', new Uint8Array(24 * 1024 * 1024));
    const child = machine.start(['deploy']);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      const isSending = !said.includes('Sending');
      said += chunk;
      if (isSending && said.includes('Sending')) child.kill('SIGINT');
    });
    const code = await new Promise((ended) => child.once('close', ended));
    expect([code, said]).toEqual([130, expect.stringContaining('Interrupted.')]);
    expect(await show(String(slug))).toBe('one');
  });
});
