import type { Manifest, ManifestFile } from '../blobs/manifest.js';
import { refuse } from '../kernel/refusal.js';
import type { DeployLimits } from '../settings.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { SitePaths } from './checks/site-path.js';
import type { Brought } from './uploaded-files.js';

export type Composed = { readonly files: readonly ManifestFile[]; readonly warnings: readonly DeployWarning[] };

/**
 * The whole site: what was brought, over the live files where there are any. Taking away what is not there is no
 * fault, since the site then is as it was asked for; it is said all the same, as it may be a slip.
 */
export function composed(brought: Brought, base: Manifest | null, limits: DeployLimits): Composed {
  if (!base) return { files: brought.files, warnings: [] };

  const gone = new Set([...brought.removed, ...brought.files].map(({ path }) => path));
  const kept = [...base.files.values()].filter(({ path }) => !gone.has(path));
  const paths = new SitePaths();
  for (const { path } of kept) paths.add(path, path);
  for (const { path, field } of brought.files) paths.add(path, `${field}.path`);

  const files = [...kept, ...brought.files];
  if (files.length === 0) refuse('no_files', 'Nothing would be left.');
  if (files.length > limits.files) refuse('too_many_files', `A deploy may have ${limits.files} files.`);
  if (bytesOf(files) > limits.deployBytes)
    refuse('too_large', `The files would have more than ${limits.deployBytes} bytes together.`);

  const missed = brought.removed.filter(({ path }) => !base.files.has(path));
  return {
    files,
    warnings: missed.map(({ path }) => ({
      file: path,
      message: 'Was to be taken away, and is not in the live deploy.',
    })),
  };
}

export const bytesOf = (files: readonly ManifestFile[]) => files.reduce((sum, { size }) => sum + size, 0);
