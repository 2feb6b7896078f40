import { buildArchive } from './archive.js';
import type { HashedFile } from './hash-files.js';
import type { PreparedDeploy } from './prepare-deploy.js';
import { type SendOptions, type SentDeploy, sendDeploy } from './send-deploy.js';
import { type SentBytes, uploadFiles } from './upload-files.js';

export type PublishOptions = SendOptions & {
  /** Called once before content is sent. An archive has fewer bytes than its files. */
  readonly onTransfer?: (transfer: Transfer) => void;
  readonly onSent?: SentBytes;
};

export type Transfer = {
  readonly kind: 'archive' | 'files' | 'nothing';
  readonly files: number;
  readonly bytes: number;
};

export type DeployOutcome = SentDeploy & { readonly sent: Transfer };

/** What is sent again if the connection breaks, so it is the same as for a single file. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Content larger than this is unlikely to fit after compression, so compressing it would be wasted work. */
const MAX_ARCHIVE_CONTENT = 64 * 1024 * 1024;

/** Sends what the service does not have, and then publishes everything at once. */
export async function publishDeploy(prepared: PreparedDeploy, options: PublishOptions = {}): Promise<DeployOutcome> {
  const { stele, files, missing } = prepared;
  const archive = isArchiveBetter(prepared) ? await buildArchive(files, MAX_ARCHIVE_BYTES) : null;
  const sent: Transfer = archive
    ? { kind: 'archive', files: files.length, bytes: archive.length }
    : { kind: missing.length > 0 ? 'files' : 'nothing', files: missing.length, bytes: sumOfContents(missing) };
  options.onTransfer?.(sent);
  if (archive) {
    const outcome = await sendDeploy(prepared, options, { body: archive, type: 'application/gzip' });
    options.onSent?.(archive.length);
    return { ...outcome, sent };
  }
  await uploadFiles(stele, missing, { onSent: options.onSent, signal: options.signal });
  const list = JSON.stringify({ files: files.map(({ path, sha256 }) => ({ path, sha256 })) });
  return { ...(await sendDeploy(prepared, options, { body: list, type: 'application/json' })), sent };
}

/**
 * Whether one archive is likely to be faster than single files: most of the content is missing, and it is not too
 * large. The service drops a folder that contains everything from the paths in an archive, so such a site is sent as
 * files.
 */
export function isArchiveBetter({
  files,
  missing,
  bytes,
}: Pick<PreparedDeploy, 'files' | 'missing' | 'bytes'>): boolean {
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const isInOneFolder = folders.size === 1 && !folders.has('');
  return missing.length > 1 && !isInOneFolder && bytes <= MAX_ARCHIVE_CONTENT && sumOfContents(missing) * 2 > bytes;
}

/** Bytes of the distinct contents, as each is sent once. */
function sumOfContents(files: readonly HashedFile[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}
