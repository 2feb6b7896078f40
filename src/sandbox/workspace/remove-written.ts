import { rm } from 'node:fs/promises';
import { succeeds } from './program.js';

/**
 * Removes what builds have written, a folder with all that is in it. A build may have closed its folders to itself: where
 * it is the same user as we are, to us too. Links are not followed.
 */
export async function removeWritten(folder: string): Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await succeeds('chmod', ['--recursive', 'u+rwX', '--', folder]);
    await remove();
  });
}
