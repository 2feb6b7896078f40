/** The disk is full. The failed write has no effect; content stored earlier is still served. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

/** Error codes for a full disk or quota, of the system and of PostgreSQL (SQLSTATE `disk_full`). */
const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** Converts the error of a full disk to `StorageFullError`; returns any other error unchanged. */
export function storageError(cause: unknown): unknown {
  const isFull = typeof cause === 'object' && cause !== null && 'code' in cause && NO_ROOM.has(cause.code);
  return isFull ? new StorageFullError('The disk is full.', { cause }) : cause;
}

/** Returns the result of the work; throws `StorageFullError` if the disk is full. */
export async function detectFullStorage<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}
