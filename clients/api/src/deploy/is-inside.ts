import nodePath, { type PlatformPath } from 'node:path';

/** Whether an absolute path is a folder or lies below it. On Windows, the two can be on different drives. */
export function isInside(
  folder: string,
  path: string,
  { isAbsolute, relative, sep }: PlatformPath = nodePath,
): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
