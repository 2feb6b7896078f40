import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder itself or leads to something in it. Both must be absolute. Links are not resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
