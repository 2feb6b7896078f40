import type { BlobIntake, BlobStore } from '../blobs/blob-store.js';
import { encodeManifest, type Manifest, type ManifestFile } from '../blobs/manifest.js';
import type { DeployLimits } from '../settings.js';
import type { UploadedEntry } from './bodies/uploaded-entry.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { siteFileWarnings } from './checks/site-file-warnings.js';
import { bytesOf, overlay } from './overlay.js';
import { reusableBlobs } from './reusable-blobs.js';
import { UploadedFiles } from './uploaded-files.js';

export type StoredUpload = {
  /** Digest of the manifest, 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly hasIndex: boolean;
  readonly warnings: readonly DeployWarning[];
  /** What the body brought, apart from what it was laid over. */
  readonly uploaded: UploadedFiles;
};

export type UploadContext = {
  /** The live files, over which the given ones go; null where the body is the whole site. */
  readonly base: Manifest | null;
  /** Which of these contents the caller may use again, with their sizes. */
  readonly owned: (sha256s: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

const alone: UploadContext = { base: null, owned: async () => new Map() };

/** Stores the content of a deploy and its manifest. When it resolves everything is durable; when it throws nothing counts. */
export function storeUpload(
  blobs: BlobStore,
  incoming: AsyncIterable<UploadedEntry>,
  limits: DeployLimits,
  { base, owned }: UploadContext = alone,
): Promise<StoredUpload> {
  return warned(blobs, async (intake) => {
    const uploaded = new UploadedFiles(limits, base !== null);
    for await (const one of incoming) await uploaded.add(one, intake);
    uploaded.complete(await reusableBlobs(blobs, uploaded.named, owned));
    return storeOverlay(base, uploaded, intake, limits);
  });
}

/** The same over another base, where the live deploy has changed since: the body need not come again. */
export function storeUploadAgain(blobs: BlobStore, { uploaded }: StoredUpload, limits: DeployLimits, base: Manifest) {
  return warned(blobs, (intake) => storeOverlay(base, uploaded, intake, limits));
}

async function storeOverlay(base: Manifest | null, uploaded: UploadedFiles, intake: BlobIntake, limits: DeployLimits) {
  const { files, warnings } = overlay(uploaded, base, limits);
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

const noIndex = { file: 'index.html', message: 'There is no index.html: the site’s address shows a 404 page.' };

type ComposedUpload = { readonly stored: StoredUpload; readonly files: readonly ManifestFile[] };

/** With what there is to say of the files that are read when the site is served; sealed content can be read. */
async function warned(blobs: BlobStore, work: (intake: BlobIntake) => Promise<ComposedUpload>): Promise<StoredUpload> {
  const { stored, files } = await sealed(blobs, work);
  return { ...stored, warnings: [...stored.warnings, ...(await siteFileWarnings(blobs, files))] };
}

async function sealed<Result>(blobs: BlobStore, work: (intake: BlobIntake) => Promise<Result>): Promise<Result> {
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
