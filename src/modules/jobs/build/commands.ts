import { LineReader } from '../../../kernel/output/terminal-text.js';
import type { BuildTool, CommandEnd, Sandbox } from '../../../kernel/ports/outside/builder.js';
import type { JobProgress } from '../job-progress.js';
import { BuildError } from './build-failed.js';

const LIMITS = { memory: 'of memory', processes: 'processes', disk: 'on disk', files: 'files on disk' } as const;

/** Code that npm prints if the lock file does not match package.json or was created on another platform. */
const UNFIT_LOCK = /\bEUSAGE\b/;
/** Message that npm prints if the lock file is missing or unreadable. */
const NO_LOCK = /can only install with an existing package-lock/;
/** Messages that npm 12, pnpm 10 and Bun print about packages whose install scripts the project does not allow. */
const SCRIPTS_BLOCKED = /\binstall scripts blocked\b|\bIgnored build scripts\b|\bBlocked \d{1,6} postinstall/;
const WITHOUT_SCRIPTS =
  'Some packages were installed without their install scripts (see the log). The project must allow the scripts that it needs.';

/** Limits the report of blocked hosts, because a build might try any number of hosts. */
const MAX_REFUSED = 20;

type CommandStep = 'install' | 'build';
type Environment = Readonly<Record<string, string>>;

export type CommandEnvironment = {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly tools: readonly BuildTool[];
  /** A requirement of the project that is not met and may explain why a command fails. */
  readonly unmet: string | null;
};

export class Commands {
  readonly #refused = new Set<string>();
  #areScriptsBlocked = false;

  constructor(
    private readonly room: CommandEnvironment,
    private readonly progress: JobProgress,
    private readonly signal: AbortSignal,
  ) {}

  /** When the command has ended, each of the first 20 hosts is logged once. */
  refused(host: string, why: string): void {
    if (this.#refused.size < MAX_REFUSED) this.#refused.add(`${host} ${why}`);
  }

  /** Throws `BuildError` if the command fails. */
  async run(step: CommandStep, script: string, env: Environment): Promise<void> {
    this.#check(script, await this.#end(step, script, env, () => undefined));
  }

  /** Resolves to whether the command succeeded. Throws `BuildError` if a limit is reached. */
  async tries(step: CommandStep, script: string, env: Environment): Promise<boolean> {
    const end = await this.#end(step, script, env, () => undefined);
    if (end.exceeded) this.#check(script, end);
    return end.exitCode === 0;
  }

  /** Falls back to `npm install` if `npm ci` can't use the lock file. Throws `BuildError` if the installation fails. */
  async install(script: string, env: Environment): Promise<void> {
    let isUnfit = false;
    let isNone = false;
    const end = await this.#end('install', script, env, (text) => {
      isUnfit ||= UNFIT_LOCK.test(text);
      isNone ||= NO_LOCK.test(text);
    });
    if (end.exitCode === 0 || !isUnfit || script !== 'npm ci') return this.#check(script, end);
    await this.progress.log(
      'install',
      isNone
        ? 'npm found no usable lock file, so it installs the newest versions that package.json allows.'
        : 'The lock file does not match package.json, so npm install adds what is missing.',
      'stderr',
    );
    await this.run('install', 'npm install', env);
  }

  async #end(step: CommandStep, script: string, env: Environment, onLine: (text: string) => void): Promise<CommandEnd> {
    // Commands may come from files of the repository, and command-line arguments can't contain NUL.
    if (script.includes('\0')) throw new BuildError('A command must not contain the character U+0000.');
    await this.progress.log(step, `$ ${script}`);
    const reader = (stream: 'stdout' | 'stderr') =>
      new LineReader((text) => {
        onLine(text);
        this.#areScriptsBlocked ||= step === 'install' && SCRIPTS_BLOCKED.test(text);
        return this.progress.log(step, text, stream);
      });
    const readers = { stdout: reader('stdout'), stderr: reader('stderr') };
    const { sandbox, folder, tools } = this.room;
    const command = { script, folder, tools, env };
    const heard = async (stream: 'stdout' | 'stderr', bytes: Uint8Array) => {
      if (!this.progress.isLogFull()) await readers[stream].read(bytes);
    };
    const end = await sandbox.run(command, heard, this.signal);
    await readers.stdout.end();
    await readers.stderr.end();
    await this.#tellRefused(step);
    return end;
  }

  async #tellRefused(step: CommandStep) {
    const hint =
      'Builds can only make HTTPS connections to the hosts that the operator has listed in STELE_BUILD_HOSTS.';
    for (const refusal of this.#refused)
      await this.progress.log(step, `Blocked a connection: ${refusal}. ${hint}`, 'stderr');
    this.#refused.clear();
  }

  #check(script: string, { exitCode, exceeded }: CommandEnd) {
    if (exitCode === 0) return;
    if (exceeded) throw new BuildError(`“${script}” reached the limit of ${exceeded.limit} ${LIMITS[exceeded.what]}.`);
    const ended = `“${script}” exited with code ${exitCode}.`;
    const possibleReasons = [this.room.unmet ?? [], this.#areScriptsBlocked ? WITHOUT_SCRIPTS : []].flat();
    throw new BuildError([ended, ...possibleReasons].join(' '));
  }
}
