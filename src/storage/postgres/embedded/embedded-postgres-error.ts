const otherWay = 'Or set DATABASE_URL to use your own PostgreSQL server.';

/** Thrown if the embedded PostgreSQL is unusable. The message contains the reason, a solution, and an alternative. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem} ${otherWay}`, options);
  }
}

/** Explains why a PostgreSQL program failed, if its output shows a cause that the operator can fix. */
export function explainFailure(what: string, folder: string, output: string): EmbeddedPostgresError {
  if (/no space left on device|disk quota exceeded/i.test(output)) {
    return diskFull(folder);
  }
  if (/could not look up effective user ID/i.test(output)) {
    return new EmbeddedPostgresError(
      'The current user has no entry in /etc/passwd, which PostgreSQL requires. Add the entry, or run as another user.',
    );
  }
  const tail = output.trim().split('\n').slice(-12).join('\n');
  return new EmbeddedPostgresError(`${what} in ${folder}. Its output:\n${tail || '(none)'}\n`);
}

export function asEmbeddedPostgresError(error: unknown, folder: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  if (systemCode(error) === 'ENOSPC') return diskFull(folder, error);
  const message = error instanceof Error ? error.message : String(error);
  return new EmbeddedPostgresError(`Could not start PostgreSQL in ${folder}: ${message}.`, { cause: error });
}

function diskFull(folder: string, cause?: unknown) {
  const problem = `The disk that holds ${folder} is full. Free some space and start again.`;
  return new EmbeddedPostgresError(problem, { cause });
}

/** Returns the code of a system error (`EACCES`, `ENOSPC`), or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
