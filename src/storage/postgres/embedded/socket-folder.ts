import { lutimes, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `sun_path` without its NUL: unix(7) on Linux, unix(4) on macOS. */
const longest = process.platform === 'darwin' ? 103 : 107;

/** The folder to name as `host` in a connection, never too long for a socket's address. */
export type SocketFolder = {
  readonly path: string;
  /** Keeps it from programs that tidy old files away in temporary folders. */
  refresh(): Promise<void>;
  remove(): Promise<void>;
};

/** The data folder itself, where the socket lies, or a link to it from a private temporary folder. */
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
