/** The code of an error of Node's, such as ENOSPC or Z_DATA_ERROR; empty where there is none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
