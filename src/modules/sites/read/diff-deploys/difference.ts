import type { Manifest, ManifestFile } from '../../../../storage/blobs/manifest.js';

export type ManifestDifference = {
  readonly added: readonly ManifestFile[];
  /** Changed files, as they are in the newer of the two deploys. */
  readonly changed: readonly ManifestFile[];
  readonly removed: readonly ManifestFile[];
};

/** Compares the files of two deploys by path. Each list is in manifest order. */
export function compareManifests(from: Manifest, to: Manifest): ManifestDifference {
  const now = [...to.files.values()];
  return {
    added: now.filter(({ path }) => !from.files.has(path)),
    changed: now.filter(({ path, sha256 }) => (from.files.get(path)?.sha256 ?? sha256) !== sha256),
    removed: [...from.files.values()].filter(({ path }) => !to.files.has(path)),
  };
}
