/** Returns the code of a Node or PostgreSQL error, such as `ENOSPC` or `53100`, or an empty string if it has none. */
export const readErrorCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

export const isCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(readErrorCode(error));
