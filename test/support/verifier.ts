import { execFile } from 'node:child_process';

export type Verdict = { readonly code: number | string | null; readonly said: string; readonly complained: string };

/** `npm run audit -- verify …` as an auditor's machine runs it: no environment, no database. */
export function verify(...args: readonly string[]): Promise<Verdict> {
  return new Promise((resolve) =>
    execFile(process.execPath, ['tools/audit.mjs', 'verify', ...args], { env: {} }, (error, said, complained) =>
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, said, complained }),
    ),
  );
}
