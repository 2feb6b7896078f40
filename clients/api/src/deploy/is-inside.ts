import nodePath, { type PlatformPath } from 'node:path';

/**
 * Whether a path is a folder itself or lies below it. Both must be absolute. On Windows, they can be on different drives.
 * Links are not resolved.
 */
export function isInside(
  path: string,
  folder: string,
  { isAbsolute, relative, sep }: PlatformPath = nodePath,
): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
