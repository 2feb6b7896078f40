import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { OnOutput } from '../../kernel/ports/outside/builder.js';

export type SandboxCall = {
  /** Arguments to pass to bubblewrap with `--args`. */
  readonly sandbox: readonly string[];
  readonly seccomp: Buffer;
  /** The program to run in the sandbox, and its arguments. */
  readonly program: readonly string[];
  /** User ID of the sandbox on this machine, or null for the user of this process. */
  readonly uid: number | null;
  /** `cgroup.procs` files of the control groups to enter before starting bubblewrap. */
  readonly doors: readonly string[];
  /** Arguments for `prlimit`, which limits the resources of each process. */
  readonly limits: readonly string[];
  /** Called with the ID of the process from which all other processes of the sandbox descend. */
  readonly onStarted: (pid: number) => void;
};

/** File descriptors from which `bwrap` reads its arguments and the system call filter. */
export const ARGUMENTS = 3;
export const SECCOMP = 4;

/** Shell script that enters the control groups before it switches to another user. */
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/** Exit code of the shell if a program could not be started. */
export const NOT_STARTED = 125;

/**
 * Runs a program in bubblewrap, and waits until no process has its output open for writing. Returns the exit code in
 * the format that shells use. If the signal is aborted, kills the program and all its descendants.
 */
export async function runInSandbox(call: SandboxCall, onOutput: OnOutput, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const { uid, doors, limits, program } = call;
  const becoming = uid === null ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];
  const line = [...becoming, 'prlimit', ...limits, '--', 'bwrap', '--args', String(ARGUMENTS), '--', ...program];
  const child = spawn('/bin/sh', ['-c', ENTER, 'enter', ...doors, '--', ...line], {
    cwd: '/',
    // The build can read this environment, so it contains only PATH.
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    // Starts a process group, so that the whole group can be killed.
    detached: true,
  });
  if (child.pid !== undefined) call.onStarted(child.pid);
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  try {
    give(child, ARGUMENTS, call.sandbox.map((argument) => `${argument}\0`).join(''));
    give(child, SECCOMP, call.seccomp);
    const ended = Promise.race([once(child, 'close'), once(child, 'error').then(() => [NOT_STARTED, null])]);
    await Promise.all([pass(child.stdout, 'stdout', onOutput), pass(child.stderr, 'stderr', onOutput)]);
    const [code, signalled] = await ended;
    signal.throwIfAborted();
    return code ?? (signalled === 'SIGKILL' ? 137 : 128);
  } catch (error) {
    // After an abort, errors while reading the output do not matter.
    signal.throwIfAborted();
    throw error;
  } finally {
    kill();
    signal.removeEventListener('abort', kill);
  }
}

/**
 * Writes to a file descriptor of the child. Ignores errors, because the child may exit before it has read everything.
 */
function give(child: ChildProcess, descriptor: number, content: string | Buffer) {
  const pipe = child.stdio[descriptor] as Writable;
  pipe.on('error', () => undefined).end(content);
}

async function pass(from: Readable | null, stream: 'stdout' | 'stderr', onOutput: OnOutput): Promise<void> {
  if (!from) return;
  for await (const bytes of from) await onOutput(stream, bytes);
}

function killGroup({ pid, exitCode, signalCode, stdout, stderr }: ChildProcess) {
  if (pid === undefined) return;
  if (exitCode === null && signalCode === null) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process exited in the meantime.
    }
  }
  // Closes the output pipes, because a process that is being killed may keep them open.
  stdout?.destroy();
  stderr?.destroy();
}
