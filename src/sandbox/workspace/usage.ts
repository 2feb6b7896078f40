import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { succeeds, systemPath } from './program.js';

type Usage = { readonly bytes: number; readonly files: number };

/** Measures the bytes on disk and the number of files and folders, like `du`. */
export async function measureUsage(folder: string): Promise<Usage> {
  const { isWhole, ...usage } = await counted(folder);
  if (isWhole) return usage;
  // A measurement is incomplete if an entry has disappeared or a build has removed permissions. This restores the
  // permissions and measures again.
  await openFolders(folder);
  return counted(folder);
}

async function counted(folder: string): Promise<Usage & { readonly isWhole: boolean }> {
  const [bytes, files] = await Promise.all([du(['--block-size=1'], folder), du(['--inodes'], folder)]);
  return { bytes: bytes.count, files: files.count, isWhole: bytes.isWhole && files.isWhole };
}

async function du(options: readonly string[], folder: string) {
  const args = ['--summarize', '--one-file-system', ...options, '--', folder];
  const child = spawn('du', args, { stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: systemPath() } });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { count: Number.parseInt(said, 10) || 0, isWhole: code === 0 };
}

/** Restores the permissions of each folder before `find` enters it. */
const openFolders = (folder: string) =>
  succeeds('find', [folder, '-xdev', '-type', 'd', '!', '-perm', '-u=rx', '-exec', 'chmod', 'u+rx', '{}', ';']);
