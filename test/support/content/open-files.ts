import { readdirSync, readlinkSync } from 'node:fs';

/** Returns how many files in a folder this process has open, including unlinked ones. Always 0 except on Linux. */
export function openFilesIn(folder: string): number {
  if (process.platform !== 'linux') return 0;
  const isThere = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${folder}/`);
    } catch {
      return false; // The file was closed in the meantime.
    }
  };
  return readdirSync('/proc/self/fd').filter(isThere).length;
}
