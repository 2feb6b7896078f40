import { readdirSync, readlinkSync } from 'node:fs';

/** Includes unlinked files. Returns 0 on systems other than Linux. */
export function openFilesIn(folder: string): number {
  if (process.platform !== 'linux') return 0;
  const isThere = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${folder}/`);
    } catch {
      return false; // closed in the meantime
    }
  };
  return readdirSync('/proc/self/fd').filter(isThere).length;
}
