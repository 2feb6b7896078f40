import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Verdict = { readonly code: number | string | null; readonly said: string; readonly complained: string };

/** Runs `npm run audit -- verify …` as on an auditor's machine, without environment or database. */
export const verify = (...words: readonly string[]) => run([], words);

export const verifyWithin = (megabytes: number, ...words: readonly string[]) =>
  run([`--max-old-space-size=${megabytes}`], words);

/** Verifies many files in one process, because `verify` spends most of its time starting Node. */
export class AuditVerifier {
  readonly #child: ChildProcess;
  readonly #waiting: { readonly resolve: (verdict: Verdict) => void; readonly reject: (error: Error) => void }[] = [];

  constructor() {
    const child = spawn(process.execPath, ['test/support/sites/audit-runner.ts'], {
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(JSON.parse(line)));
    child.on('exit', (code, signal) => {
      const ended = new Error(`The verifier ended with ${code ?? signal}.`);
      for (const { reject } of this.#waiting.splice(0)) reject(ended);
    });
    this.#child = child;
  }

  verify(...words: readonly string[]): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify(['verify', ...words])}\n`);
    });
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

function run(options: readonly string[], words: readonly string[]): Promise<Verdict> {
  const command = [...options, 'tools/audit.mjs', 'verify', ...words];
  return new Promise((resolve) =>
    execFile(process.execPath, command, { env: {} }, (error, said, complained) =>
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, said, complained }),
    ),
  );
}
