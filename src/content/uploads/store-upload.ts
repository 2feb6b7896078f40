import { inTurns } from '../../kernel/concurrency/in-turns.js';
import { formatNumber, plural } from '../../kernel/output/quantities.js';
import { type Fault, Refusal, refuse } from '../../kernel/refusal.js';
import type { BlobIntake, BlobStore } from '../../storage/blobs/blob-store.js';
import { encodeManifest, type Manifest, type ManifestFile } from '../../storage/blobs/manifest.js';
import type { UploadedEntry } from './bodies/body-chunks.js';
import { type DeployWarning, siteFileWarnings } from './checks/content-inspection.js';
import { explainNoIndex } from './checks/site-layout.js';
import { SitePaths } from './checks/site-path.js';
import { type DeployLimits, refuseDeploySize, refuseFileCount } from './deploy-limits.js';
import { type Meter, MeteredIntake } from './metered-intake.js';
import { UploadedContent } from './uploaded-files.js';

type NamedContent = { readonly field: string; readonly path: string; readonly sha256: string };

/**
 * Returns the sizes of content that is referenced by digest, and protects the content from the collector. Accepts only
 * content that the caller owns, because knowing a digest must not give access to other users’ content. Throws
 * `blob_missing` with every path whose content must be sent.
 */
async function reusableBlobs(
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

/** All files of a site after an upload was merged, and warnings for the site’s owner. */
type Overlay = { readonly files: readonly ManifestFile[]; readonly warnings: readonly DeployWarning[] };

/**
 * Merges files with those of the live deploy, if there is one, and applies the limits to the result. Removing a missing
 * path only causes a warning. It may be a mistake, but the outcome is the same.
 */
async function overlay(uploaded: UploadedContent, base: Manifest | null, limits: DeployLimits): Promise<Overlay> {
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

const bytesOf = (files: readonly ManifestFile[]) => files.reduce((sum, { size }) => sum + size, 0);

/** A deploy whose content and manifest are stored durably. */
export type StoredUpload = {
  /** Digest of the manifest in 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly hasIndex: boolean;
  readonly warnings: readonly DeployWarning[];
  /** Content that the request body contains, without files kept from the live deploy. */
  readonly uploaded: UploadedContent;
};

export type UploadContext = {
  /** Whether the body contains the whole site. Otherwise, no folder is stripped from the paths in the body. */
  readonly isWhole: boolean;
  /** The live deploy whose files are kept unless the body replaces them, or null if none are kept. */
  readonly base: Manifest | null;
  /** Returns the digests that the caller owns, with sizes in bytes. */
  readonly owned: (sha256s: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly meter?: Meter;
};

export const wholeSite: UploadContext = { isWhole: true, base: null, owned: async () => new Map() };

/** Stores a deploy and its manifest durably. If the promise is rejected, nothing was stored. */
export function storeUpload(
  blobs: BlobStore,
  incoming: AsyncIterable<UploadedEntry>,
  limits: DeployLimits,
  { isWhole, base, owned, meter }: UploadContext = wholeSite,
): Promise<StoredUpload> {
  return withSiteFileWarnings(blobs, async (stored) => {
    const intake = meter ? new MeteredIntake(stored, meter) : stored;
    const uploaded = new UploadedContent(limits, { isWhole, canRemove: base !== null });
    for await (const entry of inTurns(incoming)) await uploaded.add(entry, intake);
    await uploaded.complete(await reusableBlobs(blobs, uploaded.named, owned));
    return storeOverlay(base, uploaded, intake, limits);
  });
}

/**
 * Merges an upload again, because the live deploy has changed since the first time. The client need not send the body
 * again.
 */
export function storeUploadAgain(blobs: BlobStore, { uploaded }: StoredUpload, limits: DeployLimits, base: Manifest) {
  return withSiteFileWarnings(blobs, (intake) => storeOverlay(base, uploaded, intake, limits));
}

async function storeOverlay(
  base: Manifest | null,
  uploaded: UploadedContent,
  intake: BlobIntake,
  limits: DeployLimits,
) {
  const { files, warnings } = await overlay(uploaded, base, limits);
  const { digest, text } = encodeManifest(files);
  await intake.add(text);
  const hasIndex = files.some(({ path }) => path === 'index.html');
  const stored = {
    manifest: digest,
    files: files.length,
    bytes: bytesOf(files),
    hasIndex,
    warnings: [
      ...(hasIndex ? [] : [explainNoIndex(files.map(({ path }) => path))]),
      ...uploaded.warningsIn(files),
      ...warnings,
    ],
    uploaded,
  };
  return { stored, files };
}

type ComposedUpload = { readonly stored: StoredUpload; readonly files: readonly ManifestFile[] };

/** Adds warnings about `_redirects` and `_headers`, which can only be read after the content is stored. */
async function withSiteFileWarnings(
  blobs: BlobStore,
  work: (intake: BlobIntake) => Promise<ComposedUpload>,
): Promise<StoredUpload> {
  const { stored, files } = await withIntake(blobs, work);
  return { ...stored, warnings: [...stored.warnings, ...(await siteFileWarnings(blobs, files))] };
}

/** Durably stores content that is not a file of a site. */
export const storeBytes = (blobs: BlobStore, content: Uint8Array) => withIntake(blobs, (intake) => intake.add(content));

async function withIntake<Result>(blobs: BlobStore, work: (intake: BlobIntake) => Promise<Result>): Promise<Result> {
  const intake = blobs.begin();
  try {
    const result = await work(intake);
    await intake.seal();
    return result;
  } catch (error) {
    await intake.abandon();
    throw error;
  }
}
