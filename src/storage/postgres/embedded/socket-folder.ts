import { lutimes, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Length of `sun_path` without its NUL: unix(7) on Linux, unix(4) on macOS. */
const longest = process.platform === 'darwin' ? 103 : 107;

/** A folder to use as `host` of a connection. It is always short enough for the address of a socket. */
export type SocketFolder = {
  readonly path: string;
  /** Keeps cleanup programs from removing the folder as an old temporary file. */
  refresh(): Promise<void>;
  remove(): Promise<void>;
};

/**
 * Returns the data folder, which contains the socket, or a link to it in a private temporary folder if its path is too
 * long.
 */
export async function socketFolder(data: string): Promise<SocketFolder> {
  if (fits(data)) return { path: data, refresh: async () => {}, remove: async () => {} };

  const temporary = fits(join(tmpdir(), 'stele-socket-123456', 'data')) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(temporary, 'stele-socket-'));
  const path = join(folder, 'data');
  await symlink(data, path);
  return {
    path,
    refresh: async () => {
      const now = new Date();
      await lutimes(path, now, now);
      await utimes(folder, now, now);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const fits = (folder: string) => Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= longest;
