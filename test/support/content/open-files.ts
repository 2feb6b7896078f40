import { readdirSync, readlinkSync } from 'node:fs';

/** How many files of a folder this process has open, with a name or without; none where the system does not tell. */
export function openFilesIn(folder: string): number {
  if (process.platform !== 'linux') return 0;
  const isThere = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${folder}/`);
    } catch {
      return false; // closed meanwhile
    }
  };
  return readdirSync('/proc/self/fd').filter(isThere).length;
}
