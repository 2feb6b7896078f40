/** The code of an error of Node's or PostgreSQL's, such as `ENOSPC`, `Z_DATA_ERROR` or `53100`; empty where it has none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Whether an error carries one of these codes. */
export const isCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error));
