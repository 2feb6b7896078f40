import { rm } from 'node:fs/promises';
import { succeeds } from './program.js';

/**
 * Removes a folder that builds have written to, without following links. Restores permissions first, because a build
 * that runs as the same user may have removed this process’s access.
 */
export async function removeWritten(folder: string): Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await succeeds('chmod', ['--recursive', 'u+rwX', '--', folder]);
    await remove();
  });
}
