import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';

/**
 * Returns the reason for leaving out a member that archivers add by themselves and that does not belong to a site, or
 * null for any other member.
 */
export function reasonToLeaveOut(path: string): string | null {
  const segments = path.replace(/^(\.\/)+/, '').split('/');
  const name = segments.at(-1)?.toLowerCase();
  // macOS puts a `._name` file next to each file with attributes that tar and zip cannot represent.
  if (segments[0] === '__MACOSX' || name?.startsWith('._')) return 'macOS metadata is not published';
  if (name === '.ds_store' || name === 'thumbs.db') return 'file manager metadata is not published';
  return null;
}

/**
 * Refuses with `invalid_path` an entry that is not a file, such as a link, a device or a pipe. `what` is its kind, with
 * an article.
 */
export const refuseNonFile = (path: string, field: string, what: string): never => {
  const shown = path.replace(/\p{Control}/gu, '\ufffd').slice(0, 200);
  return refuse('invalid_path', `“${shown}” is ${what}. Archives can contain only files and folders.`, [
    { path: `${field}.path`, message: `is ${what}` },
  ]);
};

/** Refuses an archive as a whole, with `invalid_request`; `why` completes “The zip archive …”. */
export const refuseArchive = (kind: 'zip' | 'tar.gz', why: string): never =>
  refuse('invalid_request', `The ${kind} archive ${why}.`, [{ path: 'body', message: why }]);

/**
 * Returns the maximum size of an archive, compressed or decompressed: the content of a deploy, plus metadata for each
 * file.
 */
export const maxArchiveBytes = ({ deployBytes, files }: DeployLimits) => deployBytes + files * 8192 + 1_048_576;
