import { execFile } from 'node:child_process';

export type Verdict = { readonly code: number | string | null; readonly said: string; readonly complained: string };

/** `npm run audit -- verify …` as an auditor's machine runs it: no environment, no database. */
export const verify = (...words: readonly string[]) => run([], words);

/** As `verify`, with a heap of so many MB. */
export const verifyWithin = (megabytes: number, ...words: readonly string[]) =>
  run([`--max-old-space-size=${megabytes}`], words);

function run(options: readonly string[], words: readonly string[]): Promise<Verdict> {
  const command = [...options, 'tools/audit.mjs', 'verify', ...words];
  return new Promise((resolve) =>
    execFile(process.execPath, command, { env: {} }, (error, said, complained) =>
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, said, complained }),
    ),
  );
}
