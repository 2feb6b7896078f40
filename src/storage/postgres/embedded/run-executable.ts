import { type ChildProcess, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { EmbeddedPostgresError, systemCode } from './embedded-postgres-error.js';
import type { ServerAccount } from './server-account.js';

const keptOutput = 16_384;

/** Environment of PostgreSQL, without the operator’s PGDATA and PGOPTIONS, which are meant for another server. */
export const serverEnvironment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Runs a program as the server’s user, in `cwd`. Returns its exit status and the end of its output. Aborting `signal`
 * kills the program and its child processes.
 *
 * The working directory is set before switching to the server’s user, so that this user needs no access to its path.
 */
export async function runExecutable(
  program: string,
  args: readonly string[],
  { account, cwd, signal }: { account: ServerAccount; cwd: string; signal?: AbortSignal },
): Promise<{ status: number | null; output: string }> {
  const child = spawn(program, args, {
    cwd,
    env: serverEnvironment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account.drop,
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const kill = () => killGroup(child);
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted) kill();
  return new Promise<{ status: number | null; output: string }>((resolve, reject) => {
    child.once('error', (error) => explainSpawnFailure(program, error).then(reject, reject));
    child.once('close', (status) => resolve({ status, output }));
  }).finally(() => signal?.removeEventListener('abort', kill));
}

/** Kills the child and its descendants. A detached child leads its own process group. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

/** Explains why a program did not start. If the program exists, `ENOENT` means that its loader is missing. */
export async function explainSpawnFailure(program: string, error: Error): Promise<EmbeddedPostgresError> {
  const code = systemCode(error);
  const present = await access(program).then(
    () => true,
    () => false,
  );
  const reason =
    code === 'ENOENT' && present
      ? `${program} cannot run here: it requires glibc, which this system (Alpine?) lacks.`
      : `Could not start ${program} (${code ?? error.message}).`;
  return new EmbeddedPostgresError(reason, { cause: error });
}
