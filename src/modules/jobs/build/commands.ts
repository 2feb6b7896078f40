import { heardElsewhere } from '../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../kernel/output/quantities.js';
import { LineReader } from '../../../kernel/output/terminal-text.js';
import type { BuildTool, CommandEnd, Sandbox } from '../../../kernel/ports/outside/builder.js';
import type { JobProgress } from '../job-progress.js';
import { BlockedConnections } from './blocked-connections.js';
import { BuildError, InterruptedCommandError } from './build-failed.js';
import {
  type BlockedConnection,
  describeBlocked,
  describeStubborn,
  describeUnset,
  RecentOutput,
  WARNINGS_AS_ERRORS,
} from './failure-hints.js';

const LIMITS = { memory: 'of memory', processes: 'processes', disk: 'on disk', files: 'files on disk' } as const;

/**
 * Install commands that fail if the lock file is outdated, with the error message to look for and the command that
 * updates the lock file.
 */
const STRICT_INSTALLS: Readonly<Record<string, { readonly says: RegExp; readonly instead: string }>> = {
  // npm also prints `EUSAGE` if the lock file was created on another platform.
  'npm ci': { says: /\bEUSAGE\b/, instead: 'npm install' },
  'yarn install --frozen-lockfile': { says: /lockfile needs to be updated/, instead: 'yarn install' },
  'yarn install --immutable': { says: /\bYN0028\b/, instead: 'yarn install --no-immutable' },
  'pnpm install --frozen-lockfile': {
    says: /\bERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH)\b/,
    instead: 'pnpm install --no-frozen-lockfile',
  },
  'bun install --frozen-lockfile': { says: /lockfile had changes, but lockfile is frozen/, instead: 'bun install' },
};
/** Message that npm prints if the lock file is missing or unreadable. */
const NO_LOCK = /can only install with an existing package-lock/;
/** Messages that npm 12, pnpm 10 and Bun print about packages whose install scripts the project does not allow. */
const SCRIPTS_BLOCKED = /\binstall scripts blocked\b|\bIgnored build scripts\b|\bBlocked \d{1,6} postinstall/;
const WITHOUT_SCRIPTS =
  'Some packages were installed without their install scripts (see the log). The project must allow the scripts that it needs.';

/** Error of webpack before version 5.61 and other older tools with Node 17 and later. */
const NEEDS_OLD_ALGORITHMS = /\bERR_OSSL_EVP_UNSUPPORTED\b/;
/** Option of Node that enables the algorithms that OpenSSL 3 considers insecure. */
const OLD_ALGORITHMS = '--openssl-legacy-provider';

/** Interval at which the log reports that a silent command is still running. */
const SILENCE_MS = 15_000;

/**
 * Number of blocked connections to one host after which a command is stopped. npm 10 and 11 repeat blocked connections
 * endlessly, thousands of times per minute.
 */
const MAX_REFUSALS = 1_000;

type CommandStep = 'install' | 'build';
type Environment = Readonly<Record<string, string>>;

export type CommandEnvironment = {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly tools: readonly BuildTool[];
  /**
   * Something that the project requires but that is not available, which may explain why a command fails; null if
   * nothing is known to be missing.
   */
  readonly unmet: string | null;
};

export class Commands {
  /** Blocked connections of the running command. */
  #refused = new BlockedConnections();
  #stubborn = new AbortController();
  #recent = new RecentOutput();
  #blocked: readonly BlockedConnection[] = [];
  #areScriptsBlocked = false;

  constructor(
    private readonly environment: CommandEnvironment,
    private readonly progress: JobProgress,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Records that the sandbox refused a connection to this host. Each of the first 20 hosts is logged once, after the
   * command has ended.
   */
  refused(host: string, why: string): void {
    if (this.#refused.add(host, why) === MAX_REFUSALS)
      this.#stubborn.abort(new BuildError(describeStubborn(host, why)));
  }

  /** Runs a command. Throws `BuildError` if it fails. */
  async run(step: CommandStep, script: string, env: Environment): Promise<void> {
    this.#check(script, env, await this.#end(step, script, env, () => undefined));
  }

  /**
   * Runs a build command. If a tool needs algorithms that OpenSSL no longer enables, runs the command again with these
   * algorithms. Throws `BuildError`.
   */
  async build(script: string, env: Environment): Promise<void> {
    let needsOldAlgorithms = false;
    const end = await this.#end('build', script, env, (text) => {
      needsOldAlgorithms ||= NEEDS_OLD_ALGORITHMS.test(text);
    });
    const { NODE_OPTIONS: options = '' } = env;
    if (end.exitCode === 0 || !needsOldAlgorithms || options.includes(OLD_ALGORITHMS))
      return this.#check(script, env, end);
    await this.progress.log(
      'build',
      `The build uses an old hash algorithm that OpenSSL does not enable by default. It is repeated with NODE_OPTIONS=${OLD_ALGORITHMS}. Newer versions of the build tool do not need this.`,
      'stderr',
    );
    await this.run('build', script, { ...env, NODE_OPTIONS: `${options} ${OLD_ALGORITHMS}`.trim() });
  }

  /** Runs a command. Resolves to true if it succeeds. Throws `BuildError` if a limit is reached. */
  async tries(step: CommandStep, script: string, env: Environment): Promise<boolean> {
    const end = await this.#end(step, script, env, () => undefined);
    if (end.exceeded) this.#check(script, env, end);
    return end.exitCode === 0;
  }

  /**
   * Runs an install command. If it fails because the lock file is outdated, runs the command that updates the lock file
   * instead. Throws `BuildError`.
   */
  async install(script: string, env: Environment): Promise<void> {
    const strict = STRICT_INSTALLS[script];
    let isUnfit = false;
    let isNone = false;
    const end = await this.#end('install', script, env, (text) => {
      isUnfit ||= strict?.says.test(text) ?? false;
      isNone ||= NO_LOCK.test(text);
    });
    if (end.exitCode === 0 || !isUnfit || !strict) return this.#check(script, env, end);
    await this.progress.log(
      'install',
      isNone
        ? 'npm found no usable lock file, so it installs the newest versions that package.json allows.'
        : `The lock file does not match package.json, so “${strict.instead}” adds what is missing. Update the lock file and commit it.`,
      'stderr',
    );
    await this.run('install', strict.instead, env);
  }

  async #end(step: CommandStep, script: string, env: Environment, onLine: (text: string) => void): Promise<CommandEnd> {
    // Commands may come from files of the repository, and command-line arguments can't contain NUL.
    if (script.includes('\0')) throw new BuildError('A command must not contain the character U+0000.');
    await this.progress.log(step, `$ ${script}`);
    this.#recent = new RecentOutput();
    this.#stubborn = new AbortController();
    let heardAt = performance.now();
    const reader = (stream: 'stdout' | 'stderr') =>
      new LineReader((text) => {
        onLine(text);
        this.#recent.add(text);
        this.#areScriptsBlocked ||= step === 'install' && SCRIPTS_BLOCKED.test(text);
        return this.progress.log(step, text, stream);
      });
    const readers = { stdout: reader('stdout'), stderr: reader('stderr') };
    const { sandbox, folder, tools } = this.environment;
    const command = { script, folder, tools, env };
    const heard = async (stream: 'stdout' | 'stderr', bytes: Uint8Array) => {
      heardAt = performance.now();
      if (!this.progress.isLogFull()) await readers[stream].read(bytes);
    };
    const stop = this.#reportSilence(step, script, () => heardAt);
    const until = AbortSignal.any([this.signal, this.#stubborn.signal]);
    const end = await sandbox
      .run(command, heard, until)
      .catch((error: unknown) => {
        if (this.signal.aborted) throw new InterruptedCommandError(this.#describeInterrupted(script));
        if (this.#stubborn.signal.aborted) return null;
        throw error;
      })
      .finally(stop);
    await readers.stdout.end();
    await readers.stderr.end();
    await this.#tellRefused(step);
    if (end === null) throw this.#stubborn.signal.reason;
    return end;
  }

  /** Repeatedly logs that a silent command is still running. Returns a function that ends these reports. */
  #reportSilence(step: CommandStep, script: string, heardAt: () => number): () => void {
    const begun = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      // Allow for a timer that fires slightly early.
      if (now - heardAt() < SILENCE_MS - 100) return;
      const text = `“${script.slice(0, 200)}” is still running after ${plural(Math.round((now - begun) / 1_000), 'second')}`;
      // Ignore errors, because the log of a finished job rejects further lines.
      this.progress.log(step, text).catch(heardElsewhere);
    }, SILENCE_MS);
    return () => clearInterval(timer);
  }

  #describeInterrupted(script: string): string {
    const sentences = [`“${script.slice(0, 200)}” was still running.`, describeBlocked(this.#refused.list())];
    return sentences.filter((sentence) => sentence !== null).join(' ');
  }

  async #tellRefused(step: CommandStep) {
    const hint =
      'Builds can only make HTTPS connections to the hosts that the operator has listed in STELE_BUILD_HOSTS.';
    this.#blocked = this.#refused.list();
    this.#refused = new BlockedConnections();
    for (const { host, why } of this.#blocked)
      await this.progress.log(step, `Blocked a connection: ${host} ${why}. ${hint}`, 'stderr');
  }

  #check(script: string, env: Environment, { exitCode, exceeded }: CommandEnd) {
    if (exitCode === 0) return;
    if (exceeded) {
      const reached = `“${script}” reached the limit of ${exceeded.limit} ${LIMITS[exceeded.what]}.`;
      throw new BuildError([reached, describeBlocked(this.#blocked) ?? []].flat().join(' '));
    }
    const errors = this.#recent.listErrors();
    const unset = this.#recent.findUnsetVariable(env);
    const sentences = [
      `“${script}” exited with code ${exitCode}.`,
      this.environment.unmet,
      this.#areScriptsBlocked ? WITHOUT_SCRIPTS : null,
      describeBlocked(this.#blocked),
      this.#recent.treatsWarningsAsErrors() ? WARNINGS_AS_ERRORS : null,
      unset === null ? null : describeUnset(unset, env.STELE_SLUG ?? '{slug}'),
      errors.length === 0 ? null : `The log says: ${errors.join(' | ')}`,
    ];
    throw new BuildError(sentences.filter((sentence) => sentence !== null).join(' '));
  }
}
