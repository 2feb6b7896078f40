// needs: curl

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderInstallScript } from '../../../src/modules/about/command-line/install-script.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const run = promisify(execFile);

describe('The stele command that an instance offers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let home: string;
  let version: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('command-line');
    stele = await sharedStele({ folder: temporary.folder });
    home = await realpath(await mkdtemp(join(tmpdir(), 'stele-home-')));
    ({ version } = JSON.parse(await readFile('package.json', 'utf8')));
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
    await rm(home, { recursive: true, force: true });
  });

  /** Runs the install script as `curl … | sh` does, on a machine whose PATH contains the folder `node`. */
  const install = ({ node = dirname(process.execPath), base = stele.base } = {}) =>
    run('sh', ['-c', `curl -fsSL ${base}/cli/install.sh | sh`], {
      env: { HOME: home, PATH: `${node}:/usr/bin:/bin`, XDG_CONFIG_HOME: join(home, 'config') },
    });

  it('the stele command has the same version as the service', async () => {
    expect(JSON.parse(await readFile('clients/cli/package.json', 'utf8')).version).toBe(version);
  });

  it('the command’s address redirects to an archive whose address contains the version', async () => {
    const { headers } = await stele.raw.get('/cli/stele.tgz').expect(302);
    expect(headers['cache-control']).toBe('no-store');
    expect(new URL(headers.location ?? '').pathname).toBe(`/cli/stele-${version}.tgz`);
    const archive = await stele.raw.get(`/cli/stele-${version}.tgz`).expect(200);
    expect(archive.headers['content-type']).toBe('application/gzip');
    await stele.raw
      .get(`/cli/stele-${version}.tgz`)
      .set('if-none-match', archive.headers.etag ?? '')
      .expect(304);
    const { body } = await stele.api.get('/cli/stele-0.0.1.tgz').expect(404);
    expect(body.suggestion).toContain(`/cli/stele-${version}.tgz`);
  });

  it('the install script installs one file and remembers the instance', async () => {
    const { stdout } = await install();
    expect(stdout).toContain(`Installed stele ${version} to ${home}/.local/bin/stele.`);
    expect(stdout).toContain('is not in your PATH');
    const command = join(home, '.local/bin/stele');
    expect(await readlink(command)).toBe(join(home, '.local/share/stele/stele.cjs'));
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(await readFile(command))).toBe(digest(await readFile('clients/cli/dist/stele.cjs')));
    const env = {
      HOME: home,
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      XDG_CONFIG_HOME: join(home, 'config'),
    };
    expect((await run(command, ['--version'], { env })).stdout).toBe(`${version}\n`);
    expect((await run(command, ['--help'], { env })).stdout).toContain('Usage: stele');
    expect((await run(command, ['instances', 'list', '--quiet'], { env })).stdout).toMatch(/^http:\S+\n$/);
    // Installing again replaces the installed command.
    expect((await install()).stdout).toContain('Installed');
  }, 180_000);

  it('a command that cannot start is not installed, and the earlier version remains', async () => {
    await install();
    await mkdir(join(home, 'package/dist'), { recursive: true });
    await writeFile(
      join(home, 'package/dist/stele.cjs'),
      `if (!process.argv.includes('--version')) require('missing');`,
    );
    const { stdout: archive } = await run('tar', ['-czC', home, 'package'], { encoding: 'buffer' });
    const sha256 = createHash('sha256').update(archive).digest('hex');
    let base = '';
    const instance = createServer(({ url }, response) => {
      const script = renderInstallScript(base, { version, sha256, fileName: 'stele.tgz' });
      response.end(url === '/cli/install.sh' ? script : archive);
    });
    await once(instance.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(instance.address() as AddressInfo).port}`;
    const failed = await install({ base }).catch((error) => error);
    instance.close();
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('does not work. Tell its operator.')]);
    expect((await run(join(home, '.local/bin/stele'), ['--help'])).stdout).toContain('Usage: stele');
  }, 60_000);

  it('on a machine without Node, the install script says what it needs and installs nothing', async () => {
    await rm(join(home, '.local'), { recursive: true, force: true });
    const failed = await install({ node: '/nowhere' }).catch((error) => error);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('Node 22')]);
    await expect(readFile(join(home, '.local/bin/stele'))).rejects.toThrow('ENOENT');
  });

  it('the install script prints one sentence if it cannot write to the home folder', async () => {
    const programs = await mkdtemp(join(home, 'programs-'));
    const installTo = async (folder: string) => {
      const env = { HOME: folder, PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin` };
      const script = run('sh', ['-c', `curl -fsSL ${stele.base}/cli/install.sh | sh`], { env });
      const { code, stderr } = await script.catch((error) => error);
      return [code, stderr];
    };
    const sentence = (folder: string) => `Could not write to ${folder}, so stele was not installed.\n`;
    expect(await installTo('/dev/null')).toEqual([1, sentence('/dev/null/.local/bin')]);
    await writeFile(join(programs, 'mktemp'), '#!/bin/sh\necho "mktemp: no space" >&2\nexit 1\n', { mode: 0o755 });
    expect(await installTo(home)).toEqual([1, sentence(`${home}/.local/share/stele`)]);
  });

  it('the install command is the first command on the home page and in the guide for agents', async () => {
    const { text: page } = await stele.raw.get('/').set('accept', 'text/html').expect(200);
    expect(/<pre class="paste">(.*?)<\/pre>/.exec(page)?.[1]).toMatch(/^curl -fsSL \S+\/cli\/install\.sh \| sh$/);
    const { text } = await stele.raw.get('/llms.txt').expect(200);
    expect(text.split('\n').find((line) => line.startsWith('curl'))).toMatch(
      /^curl -fsSL \S+\/cli\/install\.sh \| sh$/,
    );
    expect(text).toContain(`npx --yes --allow-remote=root`);
    expect(text).toContain(`/cli/stele-${version}.tgz deploy`);
  });
});

describe('Clients that send their name', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('client-name');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const deploy = (client: string | null) => {
    const request = stele.api.post('/v1/deploy').type('html');
    return (client === null ? request : request.set('stele-client', client)).send('<p>').expect(200);
  };

  it('the client’s name is shown in the list of deploys and in the history', async () => {
    const { body: site } = await deploy('stele-cli/9.9.9; agent=helper');
    const token = { 'x-svc-edit-token': site.editToken };
    const { body: deploys } = await stele.api.get(`/v1/sites/${site.slug}/deploys`).set(token).expect(200);
    expect(deploys.items[0].client).toBe('stele-cli/9.9.9; agent=helper');
    const { body: history } = await stele.api.get(`/v1/sites/${site.slug}/history`).set(token).expect(200);
    expect(history.items[0]).toMatchObject({
      summary: 'Deploy 1: 1 file, 3 bytes, with stele-cli/9.9.9; agent=helper',
      data: { client: 'stele-cli/9.9.9; agent=helper' },
    });
  });

  it('the client’s name is optional, and is cut off after 60 characters', async () => {
    for (const [client, stored] of [
      [null, undefined],
      ['a'.repeat(61), 'a'.repeat(60)],
    ] as const) {
      const { body: site } = await deploy(client);
      const { body } = await stele.api
        .get(`/v1/sites/${site.slug}/deploys`)
        .set('x-svc-edit-token', site.editToken)
        .expect(200);
      expect(body.items[0].client).toBe(stored);
    }
  });

  it('an outdated stele command is refused, and the response names the version that the instance offers', async () => {
    const ask = (client: string) => stele.api.get('/v1/limits').set('stele-client', client);
    expect((await ask('stele-cli/9.9.9').expect(200)).headers['stele-cli-version']).toBeUndefined();
    const { body, headers } = await ask('stele-cli/0.0.1').expect(400);
    expect(headers['stele-cli-version']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(body).toMatchObject({
      code: 'client_outdated',
      suggestion: expect.stringContaining('/cli/install.sh | sh'),
    });
    await stele.raw.get('/cli/install.sh').set('stele-client', 'stele-cli/0.0.1').expect(200);
  });

  it('scripts of other origins can send a client name', async () => {
    const { headers } = await stele.raw
      .options('/v1/deploy')
      .set({ origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' })
      .expect(204);
    expect(headers['access-control-allow-headers']).toContain('stele-client');
  });
});
