/** The disk is full. The failed write had no effect; content stored earlier is still served. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

/** Error codes of the operating system and of PostgreSQL (SQLSTATE `disk_full`) that mean a full disk or quota. */
const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** Converts an error that means a full disk to `StorageFullError`, and returns any other error unchanged. */
export function storageError(cause: unknown): unknown {
  const isFull = typeof cause === 'object' && cause !== null && 'code' in cause && NO_ROOM.has(cause.code);
  return isFull ? new StorageFullError('The disk is full.', { cause }) : cause;
}

/** Returns the result of the work. Throws `StorageFullError` if the disk is full. */
export async function detectFullStorage<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}
