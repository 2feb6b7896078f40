// needs: bash, curl, jq, openssl, git

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandBlock, commandsOf, differenceOf, unmarkedCommandsOf } from '../support/documents/commands.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

/** The documents run in this order in one shell, because guides use variables that earlier guides set. */
const documents = [
  'README.md',
  ...[
    'sign-in',
    'sharing',
    'ci',
    'uploads',
    'repositories',
    'analytics',
    'domains',
    'connector',
    'agents',
    'pages',
    'command-line',
  ].map((name) => `docs/guides/${name}.md`),
  'docs/guides/how-it-works.md',
  'docs/operate.md',
];
const blocks = documents.flatMap(commandsOf);
const runnable = blocks.filter(({ skipReason }) => skipReason === null);

describe('Commands in the README and the guides', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let host: GitHost;
  let issuer: TokenIssuer;
  let failure: string | null;

  beforeAll(async () => {
    temporary = await temporaryFolder('guides');
    host = await GitHost.open();
    host.commit('site', { 'index.html': '<h1>Repository</h1>' });
    issuer = await TokenIssuer.open();
    stele = await startStele({
      folder: join(temporary.folder, 'data'),
      env: { STELE_REPO_HOSTS: `${host.listed},${issuer.listed}` },
    });
    failure = await runAll();
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    issuer?.close();
    await host?.close();
    await temporary?.remove();
  });

  const here = (text: string) =>
    text
      .replaceAll('localhost:3000', `localhost:${stele.port}`)
      .replaceAll('https://github.com/owner/name', host.url('site'))
      .replaceAll('https://token.actions.githubusercontent.com', issuer.url);

  const fileOf = (block: CommandBlock) => join(temporary.folder, `${runnable.indexOf(block)}.out`);

  /** Runs all blocks in one shell. Returns the location of the first failing command and the reason, or null. */
  async function runAll(): Promise<string | null> {
    const work = join(temporary.folder, 'work');
    await mkdir(work);
    await symlink(resolve('examples'), join(work, 'examples'));
    const lines = await Promise.all(
      runnable.map(async (block) => {
        const out = fileOf(block);
        const begins = `echo '${block.place}' >&2`;
        if (block.stopsAfterS === null) return `${begins}\n{\n${here(block.text)}} >'${out}'`;
        await writeFile(`${out}.sh`, here(block.text));
        return `${begins}\ntimeout ${block.stopsAfterS} bash -eo pipefail '${out}.sh' >'${out}' || [ $? = 124 ]`;
      }),
    );
    const script = join(temporary.folder, 'all.sh');
    await writeFile(script, ['set -aeo pipefail', ...lines, ''].join('\n'));
    return promisify(execFile)('bash', [script], {
      cwd: work,
      env: { PATH: process.env.PATH, HOME: work },
      timeout: 100_000,
    }).then(
      () => null,
      (error: { readonly message: string; readonly stderr: string }) => `${error.message}\n${error.stderr}`,
    );
  }

  it('all documented commands succeed when run one after another', () => expect(failure).toBeNull());

  it.each(runnable.filter(({ output }) => output !== null).map((block) => [block.place, block] as const))(
    'the command in %s prints the documented output',
    async (_, block) => {
      expect(existsSync(fileOf(block))).toBe(true);
      const printed = await readFile(fileOf(block), 'utf8');
      expect(block.output && differenceOf({ ...block.output, text: here(block.output.text) }, printed)).toBeNull();
    },
  );

  it('every documented command is run, unless a comment explains why not', async () => {
    const guides = (await readdir('docs/guides')).map((name) => `docs/guides/${name}`);
    expect(guides.filter((file) => !documents.includes(file))).toEqual([]);
    expect(documents.flatMap(unmarkedCommandsOf)).toEqual([]);
    expect(runnable.length).toBeGreaterThan(30);
    for (const { place, skipReason } of blocks)
      if (skipReason !== null) expect([place, skipReason.length > 8]).toEqual([place, true]);
  });
});
