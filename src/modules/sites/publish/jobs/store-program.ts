import { formatBytes } from '../../../../kernel/output/quantities.js';
import type { JobContent } from '../../../../kernel/ports/job-sites.js';
import type { ServedProgram } from '../../../../kernel/ports/site-servers.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { BlobStore } from '../../../../storage/blobs/blob-store.js';

/**
 * Stores the output or image of a program, one content under its digest. When it resolves that is durable. Refuses with
 * `too_large` as soon as that is known; what was written by then is collected.
 */
export async function storeProgram(
  blobs: BlobStore,
  program: ServedProgram['kind'],
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
