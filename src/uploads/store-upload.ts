import type { BlobIntake, BlobStore } from '../blobs/blob-store.js';
import { encodeManifest, type Manifest, type ManifestFile } from '../blobs/manifest.js';
import type { DeployLimits } from '../settings.js';
import type { Incoming } from './bodies/uploaded-entry.js';
import type { DeployWarning } from './checks/deploy-warning.js';
import { siteFileWarnings } from './checks/site-file-warnings.js';
import { bytesOf, composed } from './overlay.js';
import { ownedFiles } from './reusable-blobs.js';
import { Brought } from './uploaded-files.js';

export type TakenIn = {
  /** Digest of the manifest, 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly hasIndex: boolean;
  readonly warnings: readonly DeployWarning[];
  /** What the body brought, apart from what it was laid over. */
  readonly brought: Brought;
};

export type Surroundings = {
  /** The live files, over which the given ones go; null where the body is the whole site. */
  readonly base: Manifest | null;
  /** Which of these contents the caller may use again, with their sizes. */
  readonly owned: (sha256s: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

const alone: Surroundings = { base: null, owned: async () => new Map() };

/** Stores the content of a deploy and its manifest. When it resolves everything is durable; when it throws nothing counts. */
export function takeIn(
  blobs: BlobStore,
  incoming: AsyncIterable<Incoming>,
  limits: DeployLimits,
  { base, owned }: Surroundings = alone,
): Promise<TakenIn> {
  return warned(blobs, async (intake) => {
    const brought = new Brought(limits, base !== null);
    for await (const one of incoming) await brought.add(one, intake);
    brought.complete(await ownedFiles(blobs, brought.named, owned));
    return takenOver(base, brought, intake, limits);
  });
}

/** The same over another base, where the live deploy has changed since: the body need not come again. */
export function takeAgain(blobs: BlobStore, { brought }: TakenIn, limits: DeployLimits, base: Manifest) {
  return warned(blobs, (intake) => takenOver(base, brought, intake, limits));
}

async function takenOver(base: Manifest | null, brought: Brought, intake: BlobIntake, limits: DeployLimits) {
  const { files, warnings } = composed(brought, base, limits);
  const { digest, text } = encodeManifest(files);
  await intake.add(text);
  const hasIndex = files.some(({ path }) => path === 'index.html');
  const taken = {
    manifest: digest,
    files: files.length,
    bytes: bytesOf(files),
    hasIndex,
    warnings: [...(hasIndex ? [] : [noIndex]), ...brought.warnings, ...warnings],
    brought,
  };
  return { taken, files };
}

const noIndex = { file: 'index.html', message: 'There is no index.html: the site’s address shows a 404 page.' };

type Composed = { readonly taken: TakenIn; readonly files: readonly ManifestFile[] };

/** With what there is to say of the files that are read when the site is served; sealed content can be read. */
async function warned(blobs: BlobStore, work: (intake: BlobIntake) => Promise<Composed>): Promise<TakenIn> {
  const { taken, files } = await sealed(blobs, work);
  return { ...taken, warnings: [...taken.warnings, ...(await siteFileWarnings(blobs, files))] };
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
