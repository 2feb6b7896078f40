/** A file or folder changed while it was read, or between then and the moment it was sent. Nothing has been deployed. */
export class FolderChangedError extends Error {
  override readonly name = 'FolderChangedError';
  readonly path: string;

  constructor(path: string) {
    super(`${path} changed while it was being deployed, so nothing was deployed. Deploy again.`);
    this.path = path;
  }
}

/** Error codes for a path that no longer exists, or where a file has replaced a folder or the reverse. */
const CHANGED_CODES: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR'];

/**
 * Returns the FolderChangedError among the causes of `error`, or a new one if a file or folder was removed or replaced.
 * Otherwise, returns `error` itself.
 */
export function readFolderChange(error: unknown, path: string): unknown {
  let cause: { code?: unknown; cause?: unknown } | null = error as Error | null;
  for (; typeof cause === 'object' && cause !== null; cause = cause.cause as Error | null) {
    if (cause instanceof FolderChangedError) return cause;
    if (CHANGED_CODES.includes(cause.code)) return new FolderChangedError(path);
  }
  return error;
}
