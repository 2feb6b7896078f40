import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { refuse } from '../../kernel/refusal.js';

/** Maximum size of each file that git writes. A clone is a single file. */
export const MAX_GIT_OUTPUT_BYTES = 268_435_456;
export const PATIENCE_SECONDS = 60;
const MEMORY_BYTES = 2_147_483_648;

/** Commands that wrap git, outermost first. `timeout` also terminates git if this process dies. */
const LIMITS = [
  ...['timeout', '--kill-after=2', String(PATIENCE_SECONDS)],
  ...[
    'prlimit',
    `--fsize=${MAX_GIT_OUTPUT_BYTES}`,
    `--as=${MEMORY_BYTES}`,
    `--cpu=${PATIENCE_SECONDS}`,
    '--core=0',
    '--',
  ],
];

/** Configuration of every call. Ignores this machine’s configuration, and runs nothing from the repository. */
const CONFIG = [
  'http.followRedirects=false',
  'http.proxy=',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=15',
  'http.emptyAuth=false',
  'credential.helper=',
  'transfer.fsckObjects=true',
  'transfer.bundleURI=false',
  'fetch.uriProtocols=',
  'fetch.unpackLimit=1',
  'core.bigFileThreshold=8m',
  'core.hooksPath=/dev/null',
  'core.symlinks=false',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'submodule.recurse=false',
  'pack.threads=1',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

const environment = (protocol: 'https' | 'http') => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_ALLOW_PROTOCOL: protocol,
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
});

export type GitCall = {
  readonly args: readonly string[];
  /** Additional configuration as `name=value`. */
  readonly config?: readonly string[];
  readonly protocol?: 'https' | 'http';
};

/** Signals that the kernel sends if a limit is exceeded. The cause is the repository, not the machine. */
const OF_LIMITS = new Set<NodeJS.Signals | null>(['SIGXCPU', 'SIGXFSZ']);

/** Starts git with limits on time, memory and file size. Discards stderr, which can contain names of internal hosts. */
export function startGit({ args, config = [], protocol = 'https' }: GitCall, signal: AbortSignal): GitProcess {
  const [program = '', ...limits] = LIMITS;
  const settings = config.flatMap((setting) => ['-c', setting]);
  const child = spawn(program, [...limits, 'git', ...CONFIG, ...settings, ...args], {
    cwd: '/',
    env: environment(protocol),
    stdio: ['pipe', 'pipe', 'ignore'],
    // Creates a process group, so that git’s children can be killed as well.
    detached: true,
  });
  return new GitProcess(child, signal);
}

export class GitProcess {
  /** Resolves to true if git exits with code 0, and to false otherwise. Never rejects. */
  readonly ended: Promise<boolean>;
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: NonNullable<ChildProcess['stdout']>;
  #isKilled = false;

  constructor(
    private readonly child: ChildProcess,
    signal: AbortSignal,
  ) {
    if (!child.stdin || !child.stdout) throw new Error('Git was started without pipes.');
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // Ignores write errors, because git may exit before it has read everything.
    this.stdin.on('error', () => undefined);
    const kill = () => this.kill();
    this.ended = Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])]).then(
      ([code]) => code === 0,
      () => false,
    );
    void this.ended.then(() => signal.removeEventListener('abort', kill));
    if (signal.aborted) this.kill();
    else signal.addEventListener('abort', kill, { once: true });
  }

  /** Throws `unavailable` if git failed for lack of memory or processes. Must be called after `ended` has resolved. */
  assertNotKilled(): void {
    const { pid, signalCode } = this.child;
    if (this.#isKilled || (pid !== undefined && (signalCode === null || OF_LIMITS.has(signalCode)))) return;
    refuse(
      'unavailable',
      'Git was stopped before it finished because the server is low on resources. Try again shortly.',
    );
  }

  kill(): void {
    // Discards the output, because `close` is only emitted once the output has been consumed or destroyed.
    this.stdout.destroy();
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#isKilled = true;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}

/** Returns the output of a short call (up to one megabyte), or null if git failed. Throws like `assertNotKilled`. */
export async function gitSays(call: GitCall, signal: AbortSignal): Promise<string | null> {
  const git = startGit(call, signal);
  git.stdin.end();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of git.stdout as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > 1_048_576) {
      git.kill();
      return null;
    }
    pieces.push(piece);
  }
  if (await git.ended) return Buffer.concat(pieces).toString('utf8');
  git.assertNotKilled();
  return null;
}
