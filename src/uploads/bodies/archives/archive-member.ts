import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';

/** Why a member is no part of a site, though archivers put it there unasked; null for any other. */
export function reasonToLeaveOut(path: string): string | null {
  const segments = path.replace(/^(\.\/)+/, '').split('/');
  if (segments[0] === '__MACOSX') return 'what macOS keeps beside files is not published';
  const name = segments.at(-1)?.toLowerCase();
  if (name === '.ds_store' || name === 'thumbs.db') return 'what a file manager keeps is not published';
  return null;
}

/** A member that has no content of its own: a link, a device, a pipe. */
export const notAFile = (path: string, field: string, what: string): never => {
  const shown = path.replace(/\p{Control}/gu, '\ufffd').slice(0, 200);
  return refuse('invalid_path', `“${shown}” is ${what}; an archive may have files and folders only.`, [
    { path: `${field}.path`, message: `is ${what}` },
  ]);
};

export const brokenArchive = (kind: 'zip' | 'tar.gz', why: string): never =>
  refuse('invalid_request', `The ${kind} archive ${why}.`, [{ path: 'body', message: why }]);

/** Bytes of an archive, compressed or not: the content it may have, and room for what it says about each file. */
export const archiveUpTo = ({ deployBytes, files }: DeployLimits) => deployBytes + files * 8192 + 1_048_576;
