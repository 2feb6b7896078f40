import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

describe('clients/api', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let folder: string;
  let program: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('api-client');
    stele = await sharedStele({ folder: temporary.folder });
    folder = await mkdtemp(join(tmpdir(), 'stele-program-'));
    program = join(folder, 'deploy-folder.mjs');
    // The program is stored outside clients/, so that it cannot import anything else from there.
    const options = {
      input: 'examples/deploy-folder.ts',
      platform: 'node',
      resolve: { conditionNames: ['stele-source', 'node', 'import', 'default'] },
      output: { file: program, format: 'esm' },
    };
    const bundle = `import { build } from 'rolldown'; await build(${JSON.stringify(options)});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', bundle], { cwd: 'clients/api', stdio: 'pipe' });
    await mkdir(join(folder, 'site'));
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(site: string, token = ''): Promise<unknown> {
    const words = [program, stele.base, join(folder, 'site'), site];
    const env = { PATH: process.env.PATH, STELE_TOKEN: token };
    const { stdout } = await promisify(execFile)(process.execPath, words, { env }).catch((error) => error);
    return JSON.parse(stdout);
  }

  it('deploys a folder and updates it from a program', async () => {
    const { token } = await signIn(stele, 'api-client@example.org');
    await writeFile(join(folder, 'site/index.html'), 'one');
    expect(await run('api-client-site', token)).toMatchObject({
      number: 1,
      url: expect.stringContaining('api-client-site'),
    });
    await writeFile(join(folder, 'site/index.html'), 'two');
    expect(await run('api-client-site', token)).toMatchObject({ number: 2, sent: { kind: 'files', files: 1 } });
    expect((await stele.visit('api-client-site')).text).toBe('two');
  });

  it('a program can recognize errors by their code', async () => {
    const { token } = await signIn(stele, 'api-client-other@example.org');
    await writeFile(join(folder, 'site/index.html'), 'hello');
    await run('api-client-taken', token);
    const revoked = `stele_session_${'a'.repeat(49)}`;
    expect(await run('api-client-taken', revoked)).toEqual({ code: 'unauthenticated', status: 401 });
  });
});
