/** A file changed between the moment it was hashed and the moment it was sent. Nothing has been deployed. */
export class FolderChangedError extends Error {
  override readonly name = 'FolderChangedError';
  readonly path: string;

  constructor(path: string) {
    super(`${path} changed while it was being deployed, so nothing was deployed. Deploy again.`);
    this.path = path;
  }
}

/**
 * Returns the FolderChangedError among the causes of `error`, or a new one if a file is missing (ENOENT). Otherwise,
 * returns `error` itself.
 */
export function readFolderChange(error: unknown, path: string): unknown {
  let cause: { code?: unknown; cause?: unknown } | null = error as Error | null;
  for (; typeof cause === 'object' && cause !== null; cause = cause.cause as Error | null) {
    if (cause instanceof FolderChangedError) return cause;
    if (cause.code === 'ENOENT') return new FolderChangedError(path);
  }
  return error;
}
