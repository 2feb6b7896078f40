import type { BlobIntake, BlobStore } from '../../../blobs/blob-store.js';
import { encodeManifest, type ManifestFile } from '../../../blobs/manifest.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import type { Incoming } from './incoming.js';
import { SitePaths, sitePath } from './site-path.js';

export type TakenIn = {
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly hasIndex: boolean;
};

/** Stores the content of a deploy and its manifest. When it resolves everything is durable; when it throws nothing counts. */
export async function takeIn(
  blobs: BlobStore,
  incoming: AsyncIterable<Incoming>,
  limits: DeployLimits,
): Promise<TakenIn> {
  const intake = blobs.begin();
  try {
    const files = await addAll(intake, incoming, limits);
    const { digest, text } = encodeManifest(files);
    await intake.add(text);
    await intake.seal();
    return {
      manifest: digest,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      hasIndex: files.some(({ path }) => path === 'index.html'),
    };
  } catch (error) {
    await intake.abandon();
    throw error;
  }
}

async function addAll(
  intake: BlobIntake,
  incoming: AsyncIterable<Incoming>,
  limits: DeployLimits,
): Promise<ManifestFile[]> {
  const paths = new SitePaths();
  const files: ManifestFile[] = [];
  let bytes = 0;

  for await (const { path: given, field, content } of incoming) {
    const path = sitePath(given, `${field}.path`);
    paths.add(path, `${field}.path`);
    if (paths.count > limits.files) refuse('too_many_files', `A deploy may have ${limits.files} files.`);

    const blob = await intake.add(limited(content, path, field, limits, () => bytes));
    bytes += blob.size;
    files.push({ path, ...blob });
  }
  if (files.length === 0) refuse('no_files');
  return files;
}

/** The content, refused with `too_large` as soon as the file or the deploy is over its limit. */
function limited(
  content: Incoming['content'],
  path: string,
  field: string,
  limits: DeployLimits,
  before: () => number,
) {
  const check = (size: number) => {
    if (size > limits.fileBytes) {
      refuse('too_large', `${path} has more than ${limits.fileBytes} bytes, the most a file may have.`, [
        { path: field, message: 'is too large' },
      ]);
    }
    if (before() + size > limits.deployBytes) {
      refuse('too_large', `The files have more than ${limits.deployBytes} bytes together, the most a deploy may have.`);
    }
  };
  if (content instanceof Uint8Array) {
    check(content.length);
    return content;
  }
  return (async function* () {
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      check(size);
      yield piece;
    }
  })();
}
