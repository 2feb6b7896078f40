// Creates the fixture of an earlier version: checks out the commit beside the repository, builds it, exercises all of
// its features, stops it and packs its data folder.
//
// npm run upgrade-fixture -- COMMIT
//
// Takes a few minutes, and needs the network for `npm ci`. The worktree stays for the next time, until `git worktree
// remove`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { spawnService } from '../../test/support/service/spawned-service.js';
import { GitHost } from '../../test/support/sites/git-host.js';
import { pack } from '../../test/support/upgrades/fixture.js';
import { ServiceAsked } from '../../test/support/upgrades/service-asked.js';
import { tellStory } from '../../test/support/upgrades/story.js';

const ADMIN_TOKEN = 'an-operator-of-an-earlier-version';
const [commit = ''] = process.argv.slice(2);
if (!/^[0-9a-f]{7,40}$/.test(commit)) {
  console.error('npm run upgrade-fixture -- COMMIT');
  process.exit(64);
}

const worktree = join(tmpdir(), 'stele-old', commit);
const run = (file: string, args: string[], options: { cwd?: string } = {}) =>
  execFileSync(file, args, { stdio: 'inherit', ...options });
if (!existsSync(worktree)) run('git', ['worktree', 'add', '--detach', worktree, commit]);
run(process.execPath, ['tools/set-up.mjs', '--build'], { cwd: worktree });

const dataFolder = await mkdtemp(join(tmpdir(), 'stele-earlier-'));
const git = await GitHost.open();
const program = existsSync(join(worktree, 'dist/bundled/start.js')) ? 'dist/bundled/start.js' : 'dist/main.js';
const service = await spawnService([join(worktree, 'node_modules/node/bin/node'), program], {
  cwd: worktree,
  env: {
    STELE_DATA: dataFolder,
    STELE_ADMIN_TOKEN: ADMIN_TOKEN,
    STELE_REPO_HOSTS: git.listed,
    STELE_STATUS_PROBES: 'off',
    // Versions with domains must not query a public DNS server.
    ...(['src/settings.domains.ts', 'src/settings/domain-settings.ts'].some((file) =>
      existsSync(join(worktree, file)),
    ) && { STELE_DNS_SERVERS: '127.0.0.1' }),
  },
});

try {
  const story = await tellStory(new ServiceAsked(service.port), git, ADMIN_TOKEN);
  const written = await forgetWrittenLog();
  await service.stop();
  const logFolder = join(dataFolder, 'postgres/data/pg_wal');
  for (const name of await readdir(logFolder))
    if (/^[0-9A-F]{24}$/.test(name) && name !== written) await rm(join(logFolder, name));
  console.log(await pack(commit, dataFolder, story));
} catch (error) {
  console.error(service.printed());
  throw error;
} finally {
  await service.stop();
  await git.close();
  await rm(dataFolder, { recursive: true, force: true });
}

/** Starts a new write-ahead log segment and returns its name. Earlier segments are large and not packed. */
async function forgetWrittenLog(): Promise<string | undefined> {
  const client = new pg.Client({ host: join(dataFolder, 'postgres/data'), user: 'postgres', database: 'stele' });
  await client.connect();
  await client.query('select pg_switch_wal()');
  await client.query('checkpoint');
  const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_insert_lsn()) as name');
  await client.end();
  return rows[0]?.name;
}
