import { rm } from 'node:fs/promises';
import { succeeds } from './program.js';

/**
 * Removes a folder that builds have written to. A build may have removed its permissions, which also affects this
 * process if it is the same user. Links are not followed.
 */
export async function removeWritten(folder: string): Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await succeeds('chmod', ['--recursive', 'u+rwX', '--', folder]);
    await remove();
  });
}
