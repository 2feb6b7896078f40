import { refuse } from '../../kernel/refusal.js';
import type { Manifest, ManifestFile } from '../../storage/blobs/manifest.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { SitePaths } from './checks/site-path.js';
import { type DeployLimits, refuseDeploySize, refuseFileCount } from './deploy-limits.js';
import { inTurns } from './in-turns.js';
import type { UploadedFiles } from './uploaded-files.js';

/** The files of a whole site, and warnings for its owner. */
export type Overlay = { readonly files: readonly ManifestFile[]; readonly warnings: readonly DeployWarning[] };

/**
 * Merges the uploaded files with those of the live deploy, if there is one, and checks the limits for the result.
 * Removing a path that does not exist is not an error, because the outcome is the same. As it may be a mistake, a
 * warning reports it.
 */
export async function overlay(uploaded: UploadedFiles, base: Manifest | null, limits: DeployLimits): Promise<Overlay> {
  if (!base) return { files: uploaded.files, warnings: [] };

  const replaced = new Set([...uploaded.removed, ...uploaded.files].map(({ path }) => path));
  const kept = [...base.files.values()].filter(({ path }) => !replaced.has(path));
  const paths = new SitePaths();
  for await (const { path } of inTurns(kept)) paths.add(path, path);
  for await (const { path, field } of inTurns(uploaded.files)) paths.add(path, `${field}.path`);

  const files = [...kept, ...uploaded.files];
  if (files.length === 0) refuse('no_files', 'The deploy would have no files.');
  if (files.length > limits.files) refuseFileCount(limits, files.length);
  if (bytesOf(files) > limits.deployBytes) refuseDeploySize(limits, bytesOf(files));

  const notThere = uploaded.removed.filter(({ path }) => !base.files.has(path));
  return {
    files,
    warnings: notThere.map(({ path }) => ({
      file: path,
      message: 'There was nothing to delete: the live deploy has no such file.',
    })),
  };
}

/** Returns the total size of the files in bytes. */
export const bytesOf = (files: readonly ManifestFile[]) => files.reduce((sum, { size }) => sum + size, 0);
