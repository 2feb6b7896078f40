import { formatNumber, plural } from '../../kernel/output/quantities.js';
import { type Fault, Refusal } from '../../kernel/refusal.js';
import type { BlobStore } from '../../storage/blobs/blob-store.js';
import { inTurns } from './in-turns.js';

type NamedContent = { readonly field: string; readonly path: string; readonly sha256: string };

/**
 * Returns the sizes of content that is referenced by digest, in bytes. Only content that the caller owns is accepted,
 * because knowing a digest must not give access to content of others. The collector keeps the returned content until it
 * is published. Refuses with `blob_missing`, naming every path whose content must be sent.
 */
export async function reusableBlobs(
  blobs: BlobStore,
  named: readonly NamedContent[],
  owned: (sha256s: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number>> {
  if (named.length === 0) return new Map();
  const theirs = await owned([...new Set(named.map(({ sha256 }) => sha256))]);
  const there = await blobs.touch([...theirs.keys()]);
  const missing: Fault[] = [];
  for await (const { sha256, field, path } of inTurns(named)) {
    if (there.has(sha256)) continue;
    missing.push({ path: `${field}.sha256`, message: `does not match any stored content; upload ${path}` });
  }
  if (missing.length === 0) return there;
  const all = plural(named.length, 'file');
  const which = missing.length === named.length ? all : `${formatNumber(missing.length)} of ${all}`;
  throw new Refusal('blob_missing', `The content of ${which} has not been uploaded yet.`, missing);
}
