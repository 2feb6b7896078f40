/** Thrown if the disk is full. The failed write had no effect. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

/** Error codes for a full disk or an exhausted quota: two from the operating system, and SQLSTATE `disk_full`. */
const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** Converts an error caused by a full disk to `StorageFullError`. Returns any other error unchanged. */
export function storageError(cause: unknown): unknown {
  const isFull = typeof cause === 'object' && cause !== null && 'code' in cause && NO_ROOM.has(cause.code);
  return isFull ? new StorageFullError('The disk is full.', { cause }) : cause;
}

/** Throws `StorageFullError` if the work fails because the disk is full. */
export async function detectFullStorage<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}
