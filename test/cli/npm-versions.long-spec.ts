// needs: database
// only: npm-versions

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

const run = promisify(execFile);

describe('The archive of the stele command', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let folder: string;
  let version: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('npm-versions');
    stele = await startStele({ folder: temporary.folder });
    folder = await mkdtemp(join(tmpdir(), 'stele-npm-'));
    ({ version } = JSON.parse(await readFile('package.json', 'utf8')));
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs `npx` of one version of npm, with a cache of its own and without the settings of this machine. */
  async function npx(npm: string, words: readonly string[]): Promise<string> {
    const env = {
      PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
      HOME: join(folder, `home-${npm}`),
      npm_config_cache: join(folder, `cache-${npm}`),
      npm_config_update_notifier: 'false',
    };
    const cli = join(folder, npm, 'node_modules/npm/bin/npx-cli.js');
    const { stdout } = await run(process.execPath, [cli, '--yes', ...words], { env, cwd: folder });
    return stdout;
  }

  describe.each(['10', '11', '12'])('with npm %s', (npm) => {
    beforeAll(async () => {
      const words = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', join(folder, npm), `npm@${npm}`];
      await run('npm', words);
    }, 180_000);

    it('runs with the documented npx command', async () => {
      const archive = `${stele.base}/cli/stele-${version}.tgz`;
      expect(await npx(npm, ['--allow-remote=root', archive, '--version'])).toBe(`${version}\n`);
      expect(await npx(npm, ['--allow-remote=root', archive, 'deploy', '--help'])).toContain('Examples:');
    }, 120_000);

    it('runs from the URL without a version', async () => {
      expect(await npx(npm, ['--allow-remote=root', `${stele.base}/cli/stele.tgz`, '--version'])).toBe(`${version}\n`);
    }, 120_000);
  });

  it('is refused by npm 12 without the --allow-remote option', async () => {
    const words = [`${stele.base}/cli/stele-${version}.tgz`, '--version'];
    await expect(npx('12', ['--cache', join(folder, 'empty'), ...words])).rejects.toThrow('EALLOWREMOTE');
  }, 120_000);
});
