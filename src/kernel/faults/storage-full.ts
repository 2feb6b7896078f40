/** There was no room left to write. What was to be written does not count; what is stored already is still served. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
}

/** What the system calls a full disk or quota, and what PostgreSQL calls it (SQLSTATE `disk_full`). */
const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** The error as ports name it: `StorageFull` where a disk was full, else itself. */
export function storageError(cause: unknown): unknown {
  const isFull = typeof cause === 'object' && cause !== null && 'code' in cause && NO_ROOM.has(cause.code);
  return isFull ? new StorageFull('The disk is full.', { cause }) : cause;
}

/** The result of the work; throws `StorageFull` when it found the disk full. */
export async function storageFullIn<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}
