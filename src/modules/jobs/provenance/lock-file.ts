import { createHash } from 'node:crypto';
import type { Plan } from '../../../events/repo-source.js';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import { findLockFile } from '../detect/package-manager.js';
import type { RepoFiles } from '../detect/repo-files.js';

/** Returns the path and digest of the committed lock file that the install command uses, or null if there is none. */
export async function lockFile(
  copy: RepoCopy,
  files: RepoFiles,
  { installCommand, rootDirectory }: Plan,
): Promise<{ readonly path: string; readonly sha256: string } | null> {
  const path = installCommand === null ? null : findLockFile(files, rootDirectory);
  const entry = files.entries.find((each) => path !== null && each.path === path);
  if (path === null || !entry) return null;
  const digest = createHash('sha256');
  for await (const piece of copy.content(entry)) digest.update(piece);
  return { path, sha256: digest.digest('hex') };
}
