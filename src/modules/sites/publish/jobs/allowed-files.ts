import type { UploadedEntry } from '../../../../content/uploads/bodies/body-chunks.js';
import { sitePath } from '../../../../content/uploads/checks/site-path.js';
import { Refusal } from '../../../../kernel/refusal.js';

/** A file produced by a job, or the reason why the file is left out. */
export type JobFile = { readonly path: string } & (
  | { readonly content: Uint8Array | AsyncIterable<Uint8Array> }
  | { readonly leftOut: string }
);

/** Skips files that are never published. The job's log lists each of them. */
export async function* takeAllowedFiles(
  files: AsyncIterable<JobFile>,
  onLeftOut: (path: string, why: string) => void,
): AsyncGenerator<UploadedEntry> {
  for await (const file of files) {
    const why =
      'leftOut' in file ? file.leftOut : isBlocked(file.path) ? 'files of this kind are never published' : null;
    if (why !== null) {
      onLeftOut(file.path, why);
      yield { path: file.path, field: file.path, leftOut: why };
    } else yield { ...file, field: file.path } as UploadedEntry;
  }
}

/** Reports whether a file with this path is never published. Refuses with `invalid_path`. */
export function isBlocked(path: string): boolean {
  try {
    sitePath(path, path);
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'blocked_path') return true;
    throw error;
  }
}
