import { StorageFull } from './blob-store.js';
import { isCode } from './error-code.js';

/** PostgreSQL's `disk_full`. */
const diskFull = '53100';

/** The error as the port names it: `StorageFull` for a full disk, of the packs or of their index. */
export const storageError = (cause: unknown) =>
  isCode(cause, 'ENOSPC', 'EDQUOT', diskFull) ? new StorageFull('There is no room left.', { cause }) : cause;

export function storageFullIn<Result>(query: Promise<Result>): Promise<Result> {
  return query.catch((reason) => {
    throw storageError(reason);
  });
}
