import { formatBytes } from '../../../../kernel/output/quantities.js';
import type { ServedDeploy } from '../../../../kernel/ports/served-deploy.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { BlobStore } from '../../../../storage/blobs/blob-store.js';

/** Content of a deploy, stored completely and durably but not live yet. */
export type JobContent = {
  /** Digest of the manifest, or of the server's output or image: 64 hexadecimal digits. */
  readonly manifest: string;
  /** Kind of server, or null for a deploy of files. */
  readonly program: ServedDeploy['kind'] | null;
  /** Number of files; 0 for a server. */
  readonly files: number;
  readonly bytes: number;
  readonly warnings: readonly { readonly file: string; readonly line?: number; readonly message: string }[];
};

/**
 * Stores a server's output or image durably under its digest. Refuses with `too_large` as soon as the limit is
 * exceeded. The collector of unreferenced content then deletes the part that was stored.
 */
export async function storeServerOutput(
  blobs: BlobStore,
  program: ServedDeploy['kind'],
  content: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<JobContent> {
  const intake = blobs.begin();
  try {
    const { sha256, size } = await intake.add(within(content, mostBytes));
    await intake.seal();
    return { manifest: sha256, program, files: 0, bytes: size, warnings: [] };
  } catch (error) {
    await intake.abandon();
    throw error;
  }
}

async function* within(content: AsyncIterable<Uint8Array>, mostBytes: number) {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > mostBytes)
      refuse(
        'too_large',
        `The build output exceeds the limit of ${formatBytes(mostBytes)} for deploys that run a server.`,
      );
    yield piece;
  }
}
