import type { BlobIntake, BlobStore } from '../../storage/blobs/blob-store.js';
import { encodeManifest, type Manifest, type ManifestFile } from '../../storage/blobs/manifest.js';
import type { UploadedEntry } from './bodies/uploaded-entry.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { siteFileWarnings } from './checks/site-file-warnings.js';
import type { DeployLimits } from './deploy-limits.js';
import { inTurns } from './in-turns.js';
import { type Meter, MeteredIntake } from './metered-intake.js';
import { bytesOf, overlay } from './overlay.js';
import { reusableBlobs } from './reusable-blobs.js';
import { UploadedFiles } from './uploaded-files.js';

/** A deploy whose content and manifest are stored durably. */
export type StoredUpload = {
  /** Digest of the manifest in 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly hasIndex: boolean;
  readonly warnings: readonly DeployWarning[];
  /** The files of the body, without those of the base. */
  readonly uploaded: UploadedFiles;
};

/** The context of an upload: the deploy that it changes, and the rights of the caller. */
export type UploadContext = {
  /** True if the body is the whole site. Otherwise, the paths in it are not changed. */
  readonly isWhole: boolean;
  /**
   * The live deploy, whose files remain unless the body replaces them. Null if there is none, or if no files remain.
   */
  readonly base: Manifest | null;
  /** Returns those of the given digests that the caller owns, with the sizes of their content in bytes. */
  readonly owned: (sha256s: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Receives the number of bytes that arrive. Throws to refuse them. */
  readonly meter?: Meter;
};

export const wholeSite: UploadContext = { isWhole: true, base: null, owned: async () => new Map() };

/**
 * Stores the content of a deploy and its manifest. After it resolves, everything is durable. If it rejects, nothing was
 * stored.
 */
export function storeUpload(
  blobs: BlobStore,
  incoming: AsyncIterable<UploadedEntry>,
  limits: DeployLimits,
  { isWhole, base, owned, meter }: UploadContext = wholeSite,
): Promise<StoredUpload> {
  return withSiteFileWarnings(blobs, async (stored) => {
    const intake = meter ? new MeteredIntake(stored, meter) : stored;
    const uploaded = new UploadedFiles(limits, { isWhole, canRemove: base !== null });
    for await (const entry of inTurns(incoming)) await uploaded.add(entry, intake);
    await uploaded.complete(await reusableBlobs(blobs, uploaded.named, owned));
    return storeOverlay(base, uploaded, intake, limits);
  });
}

/**
 * Merges an upload with a newer base, after the live deploy has changed. The client does not have to send the body
 * again.
 */
export function storeUploadAgain(blobs: BlobStore, { uploaded }: StoredUpload, limits: DeployLimits, base: Manifest) {
  return withSiteFileWarnings(blobs, (intake) => storeOverlay(base, uploaded, intake, limits));
}

async function storeOverlay(base: Manifest | null, uploaded: UploadedFiles, intake: BlobIntake, limits: DeployLimits) {
  const { files, warnings } = await overlay(uploaded, base, limits);
  const { digest, text } = encodeManifest(files);
  await intake.add(text);
  const hasIndex = files.some(({ path }) => path === 'index.html');
  const stored = {
    manifest: digest,
    files: files.length,
    bytes: bytesOf(files),
    hasIndex,
    warnings: [...(hasIndex ? [] : [noIndex]), ...uploaded.warnings, ...warnings],
    uploaded,
  };
  return { stored, files };
}

const noIndex = { file: 'index.html', message: 'There is no index.html, so the site’s URL shows a 404 page.' };

type ComposedUpload = { readonly stored: StoredUpload; readonly files: readonly ManifestFile[] };

/** Adds warnings about `_redirects` and `_headers`, which can only be read after the content has been stored. */
async function withSiteFileWarnings(
  blobs: BlobStore,
  work: (intake: BlobIntake) => Promise<ComposedUpload>,
): Promise<StoredUpload> {
  const { stored, files } = await withIntake(blobs, work);
  return { ...stored, warnings: [...stored.warnings, ...(await siteFileWarnings(blobs, files))] };
}

/** Stores content that is not a file of a site. After it resolves, the content is durable. */
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
