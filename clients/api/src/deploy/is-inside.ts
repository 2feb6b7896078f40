import nodePath, { type PlatformPath } from 'node:path';

/**
 * Returns whether a path is the folder itself or is inside it. Both paths must be absolute. On Windows, they can be on
 * different drives. Symbolic links are not resolved.
 */
export function isInside(
  path: string,
  folder: string,
  { isAbsolute, relative, sep }: PlatformPath = nodePath,
): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
