import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { systemPath } from './program.js';

/** What lies under a folder, as `du` counts it: bytes on disk, and files and folders. */
export async function usageOf(folder: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const [bytes, files] = await Promise.all([du(['--block-size=1'], folder), du(['--inodes'], folder)]);
  return { bytes, files };
}

async function du(options: readonly string[], folder: string): Promise<number> {
  const args = ['--summarize', '--one-file-system', ...options, '--', folder];
  const child = spawn('du', args, { stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: systemPath() } });
  return Number.parseInt(await text(child.stdout), 10) || 0;
}
