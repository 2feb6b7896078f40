import type { HashedFile } from './hash-files.js';

/** A file of a deploy, as the service lists it. */
export type RemoteFile = { readonly path: string; readonly size: number; readonly sha256: string };

export type Changes = {
  readonly added: readonly RemoteFile[];
  readonly changed: readonly RemoteFile[];
  readonly removed: readonly RemoteFile[];
  readonly unchanged: number;
};

/** Compares the files of a deploy with the live ones. With `merge`, files that exist only in the live deploy remain. */
export function compareFiles(
  next: readonly Pick<HashedFile, 'path' | 'size' | 'sha256'>[],
  live: readonly RemoteFile[],
  { merge = false } = {},
): Changes {
  const before = new Map(live.map((file) => [file.path, file]));
  const added: RemoteFile[] = [];
  const changed: RemoteFile[] = [];
  for (const { path, size, sha256 } of next) {
    // The service stores paths in Unicode form NFC. macOS may return them decomposed.
    const name = path.normalize('NFC');
    const old = before.get(name);
    before.delete(name);
    if (old === undefined) added.push({ path: name, size, sha256 });
    else if (old.sha256 !== sha256) changed.push({ path: name, size, sha256 });
  }
  const removed = merge ? [] : [...before.values()];
  return { added, changed, removed, unchanged: next.length - added.length - changed.length };
}

export const hasChanges = ({ added, changed, removed }: Changes) => added.length + changed.length + removed.length > 0;
