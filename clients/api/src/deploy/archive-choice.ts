import { buildArchive } from './archive.js';
import type { HashedFile } from './hash-files.js';

/** What is sent again if the connection breaks, so it is the same as for a single file. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Content larger than this is unlikely to fit after compression, so compressing it would be wasted work. */
const MAX_ARCHIVE_CONTENT = 64 * 1024 * 1024;

type Content = {
  readonly files: readonly HashedFile[];
  readonly missing: readonly HashedFile[];
  readonly bytes: number;
};

/** Builds the archive of a deploy, or returns null if it is larger than a single request should be. */
export const buildDeployArchive = (files: readonly HashedFile[]) => buildArchive(files, MAX_ARCHIVE_BYTES);

/**
 * Whether one archive is likely to be faster than single files: most of the content is missing, and it is not too
 * large. The service drops a folder that contains everything from the paths in an archive, so such a site is sent as
 * files.
 */
export function isArchiveBetter({ files, missing, bytes }: Content): boolean {
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const isInOneFolder = folders.size === 1 && !folders.has('');
  return missing.length > 1 && !isInOneFolder && bytes <= MAX_ARCHIVE_CONTENT && sumOfContents(missing) * 2 > bytes;
}

/** Bytes of the distinct contents, as each is sent once. */
export function sumOfContents(files: readonly HashedFile[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}
