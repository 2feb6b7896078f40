import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { OnOutput } from '../../kernel/ports/outside/builder.js';

export type SandboxCall = {
  /** For `--args`. */
  readonly sandbox: readonly string[];
  readonly seccomp: Buffer;
  /** What is run inside, and its arguments. */
  readonly program: readonly string[];
  /** The user that the sandbox runs as, seen from outside; null for our own user. */
  readonly uid: number | null;
  /** Files of control groups to be entered first. */
  readonly doors: readonly string[];
  /** For `prlimit`. */
  readonly limits: readonly string[];
  /** Is told of the process that everything else is below of. */
  readonly onStarted: (pid: number) => void;
};

/** Descriptors of the program `bwrap`: its arguments, and the filter of system calls. */
export const ARGUMENTS = 3;
export const SECCOMP = 4;

/** Enters the groups as our own user, and only then becomes another one. */
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/** A shell says so that a program could not be started. */
export const NOT_STARTED = 125;

/**
 * Runs a program in bubblewrap and answers its exit code, as a shell has it. Resolves when nothing writes to its output
 * any more. An aborted signal ends it, with everything that it has started.
 */
export async function runInSandbox(call: SandboxCall, onOutput: OnOutput, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const { uid, doors, limits, program } = call;
  const becoming = uid === null ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];
  const line = [...becoming, 'prlimit', ...limits, '--', 'bwrap', '--args', String(ARGUMENTS), '--', ...program];
  const child = spawn('/bin/sh', ['-c', ENTER, 'enter', ...doors, '--', ...line], {
    cwd: '/',
    // Nothing of ours: a build sees the environment of the first process of its sandbox.
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    // A process group of its own, so that all of it can be ended.
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
    // What was said when it was ended does not matter.
    signal.throwIfAborted();
    throw error;
  } finally {
    kill();
    signal.removeEventListener('abort', kill);
  }
}

/** Writes to a descriptor of it. It may end before it has read all of that. */
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
      // It has just ended by itself.
    }
  }
  // A pipe may be held by what is being ended.
  stdout?.destroy();
  stderr?.destroy();
}
