import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { notPossibleHere } from './ignored-fault.js';
import { type Binaries, linkLibraries } from './package-binaries.js';
import { runExecutable } from './run-executable.js';
import type { ServerAccount } from './server-account.js';

/**
 * Returns programs that the server’s user can access: those of the npm package, or a copy of them. A copy is made once
 * per version if the user cannot enter the package’s folder (for example a checkout in /root), or if links are missing
 * and cannot be created. A copy that no other user needs is put into our own folder, `own`.
 */
export async function reachableBinaries(packaged: Binaries, account: ServerAccount, own: string): Promise<Binaries> {
  if ((await linkLibraries(packaged.home)) && (!account.drop || (await runs(packaged.home, account)))) return packaged;

  const folders = account.drop
    ? [
        () => ownedByRoot('/var/cache/stele'),
        () => ownedByRoot(join(tmpdir(), 'stele-programs')),
        () => mkdtemp(join(tmpdir(), 'stele-programs-')),
      ]
    : [() => privately(join(own, 'programs'))];
  for (const prepare of folders) {
    const home = await copyInto(prepare, packaged).catch(notPossibleHere);
    if (home && (await runs(home, account))) return { ...packaged, home };
  }
  throw new EmbeddedPostgresError(
    `User ${account.uid} cannot run PostgreSQL from ${packaged.home}, nor from a copy in /var/cache or ${tmpdir()}. Are these mounted noexec?`,
  );
}

async function runs(home: string, account: ServerAccount): Promise<boolean> {
  const asked = runExecutable(join(home, 'bin', 'postgres'), ['--version'], { account, cwd: '/' });
  return asked.then(
    ({ status }) => status === 0,
    () => false,
  );
}

/**
 * Copies the programs to a unique name and then renames the copy. A copy with its final name is therefore complete,
 * even if several processes copy at the same time.
 */
async function copyInto(prepare: () => Promise<string>, packaged: Binaries): Promise<string> {
  const folder = await prepare();
  await chmod(folder, 0o755);
  const home = join(folder, `postgres-${packaged.version}`, 'native');
  if (await exists(home)) return home;

  const copying = await mkdtemp(join(folder, 'copying-'));
  try {
    const unneeded = /\.a$|\/pkgconfig$/;
    const filter = (path: string) => !unneeded.test(path);
    await cp(packaged.home, join(copying, 'native'), { recursive: true, filter, verbatimSymlinks: true });
    await linkLibraries(join(copying, 'native'));
    await letOthersRead(copying);
    await rename(copying, join(folder, `postgres-${packaged.version}`)).catch(async (error) => {
      if (!(await exists(home))) throw error;
    });
    return home;
  } finally {
    await rm(copying, { recursive: true, force: true });
  }
}

/** Makes the files readable for other users. npm creates them with root’s umask, which may be 077. */
async function letOthersRead(folder: string) {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await lstat(path);
    await chmod(path, (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

/** Throws if another user could have put programs into the folder. */
async function ownedByRoot(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} is not a folder that only root can write to`);
  return folder;
}

async function privately(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
