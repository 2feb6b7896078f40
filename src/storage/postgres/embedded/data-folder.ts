import { chmod, chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, explainFailure, systemCode } from './embedded-postgres-error.js';
import type { Binaries } from './package-binaries.js';
import { runExecutable } from './run-executable.js';
import { isAlive } from './running-server.js';
import type { ServerAccount } from './server-account.js';

const making = 'making-';

/**
 * Returns the value of PostgreSQL’s option `-D`, the data folder. A server that runs as another user cannot traverse
 * our private folders. Such a server is started inside the data folder and uses the link `/proc/self/cwd` (proc(5)).
 */
export const dataArgument = (data: string, account: ServerAccount) => (account.drop ? '/proc/self/cwd' : data);

/** Creates a private folder around the data, which keeps other users away from the socket inside. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    if (systemCode(error) === 'ENOSPC') throw error;
    const why = systemCode(error);
    throw new EmbeddedPostgresError(`Could not create ${folder}, or it belongs to another user (${why}).`, {
      cause: error,
    });
  }
}

/**
 * Creates the server’s data with `initdb` if it does not exist. The folder is renamed to `data` only when it is
 * complete. Leaves nothing behind if `signal` is aborted.
 */
export async function prepareData(
  data: string,
  binaries: Binaries,
  account: ServerAccount,
  signal: AbortSignal,
): Promise<void> {
  const made = await majorVersion(data);
  const ours = binaries.version.split('.')[0];
  if (made === ours) return;
  if (made) {
    throw new EmbeddedPostgresError(
      `${data} was created by PostgreSQL ${made}, but version ${ours} is installed. Migrate the data with pg_dump and pg_restore, or choose another folder.`,
    );
  }
  await removeUnfinished(dirname(data));
  const unfinished = await mkdtemp(join(dirname(data), `${making}${process.pid}-`));
  try {
    await initialise(unfinished, binaries, account, signal);
    await rename(unfinished, data);
    await syncFolder(dirname(data));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, ...PATIENTLY });
    signal.throwIfAborted();
    // Another process has finished creating the data first, so its data is used.
    if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '') && (await majorVersion(data)) === ours) return;
    throw error;
  }
}

async function initialise(folder: string, binaries: Binaries, account: ServerAccount, signal: AbortSignal) {
  if (account.drop) await chown(folder, account.drop.uid, account.drop.gid);
  const { status, output } = await runExecutable(
    join(binaries.home, 'bin', 'initdb'),
    [
      ...['-D', dataArgument(folder, account), '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
      // On Linux, `syncfs` replaces a thousand system calls with one, which saves 0.1 s.
      ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
    ],
    { account, cwd: folder, signal },
  );
  signal.throwIfAborted();
  if (status !== 0) throw explainFailure('initdb failed', dirname(folder), output);
}

async function majorVersion(data: string): Promise<string | null> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new EmbeddedPostgresError(`Could not read ${data} (${systemCode(error)}).`, { cause: error });
  }
}

/** Retries removal, because an `initdb` that briefly outlived its parent may still be writing to the folder. */
const PATIENTLY = { maxRetries: 10, retryDelay: 100 };

/** Removes folders that killed processes left behind. Keeps a recent folder whose process exists. */
async function removeUnfinished(folder: string) {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(making)) continue;
    const maker = Number(basename(name).slice(making.length).split('-')[0]);
    if (!isAlive(maker) || (await isOld(join(folder, name))))
      await rm(join(folder, name), { recursive: true, force: true, ...PATIENTLY });
  }
}

/**
 * Reports whether a folder is too old for a running `initdb`, which never takes ten minutes. A process with the
 * expected ID proves nothing, because process IDs are reused (in a container, often at every start).
 */
async function isOld(folder: string) {
  const { birthtimeMs } = await stat(folder);
  return Date.now() - birthtimeMs > 600_000;
}

async function syncFolder(folder: string) {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
