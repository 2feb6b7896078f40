import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';

/** Why a member is left out: archivers add some unasked that are no part of a site. Null for any other member. */
export function reasonToLeaveOut(path: string): string | null {
  const segments = path.replace(/^(\.\/)+/, '').split('/');
  const name = segments.at(-1)?.toLowerCase();
  // macOS puts `._name` beside each file that has something that tar and zip cannot keep.
  if (segments[0] === '__MACOSX' || name?.startsWith('._')) return 'macOS metadata is not published';
  if (name === '.ds_store' || name === 'thumbs.db') return 'file manager metadata is not published';
  return null;
}

/**
 * Refuses with `invalid_path` an entry that is not a file: a link, a device, a pipe. `what` is its kind, with an
 * article.
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
 * The most bytes in an archive, compressed or not: all the content it may hold, and room for what it says about each
 * file.
 */
export const maxArchiveBytes = ({ deployBytes, files }: DeployLimits) => deployBytes + files * 8192 + 1_048_576;
