import { buildArchive } from './archive.js';
import type { HashedFile } from './hash-files.js';

/** A larger archive is not sent, because an interrupted upload of an archive starts again from the beginning. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** More content than this would probably exceed MAX_ARCHIVE_BYTES even when compressed, so it is sent file by file. */
const MAX_ARCHIVE_CONTENT = 64 * 1024 * 1024;

type Content = {
  readonly files: readonly HashedFile[];
  readonly missing: readonly HashedFile[];
  readonly bytes: number;
};

/**
 * The service refuses an archive that decompresses to more than 200 times its size (docs/interface/publishing.md). This
 * limit is lower, because it applies to the size of the files, without the archive's headers.
 */
const MAX_RATIO = 150;

/**
 * Builds the archive of a deploy. Returns null if the archive is larger than MAX_ARCHIVE_BYTES, or so strongly
 * compressed that the service would refuse it.
 */
export async function buildDeployArchive(files: readonly HashedFile[]): Promise<Buffer<ArrayBuffer> | null> {
  const archive = await buildArchive(files, MAX_ARCHIVE_BYTES);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return archive && bytes <= MAX_RATIO * archive.length ? archive : null;
}

/**
 * Whether one archive is likely to be faster than single files: the service lacks most of the content, and the content
 * is not too large. False if a single folder contains all files, because the service would remove the name of that
 * folder from the paths in an archive.
 */
export function isArchiveBetter({ files, missing, bytes }: Content): boolean {
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const isInOneFolder = folders.size === 1 && !folders.has('');
  return missing.length > 1 && !isInOneFolder && bytes <= MAX_ARCHIVE_CONTENT && sumOfContents(missing) * 2 > bytes;
}

/** Adds up the sizes of files. Files with identical content count once, because their content is sent once. */
export function sumOfContents(files: readonly HashedFile[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}
