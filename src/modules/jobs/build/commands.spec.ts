import { describe, expect, it, jest } from '@jest/globals';
import { type OnOutput, Sandbox, type SandboxCommand } from '../../../kernel/ports/outside/builder.js';
import type { JobProgress } from '../job-progress.js';
import { Commands } from './commands.js';

type Ran = readonly [printed: string, exitCode: number];

/** A sandbox in which each command prints the given output. */
class Played extends Sandbox {
  constructor(private readonly commands: Readonly<Record<string, Ran>>) {
    super();
  }

  override async run({ script }: SandboxCommand, onOutput: OnOutput) {
    const [printed, exitCode] = this.commands[script] ?? ['', 0];
    await onOutput('stderr', Buffer.from(printed));
    return { exitCode, exceeded: null };
  }

  override write = async () => [];
  override restoreDependencies = async () => null;
  override canKeepDependencies = async () => false;
  override keepDependencies = async () => undefined;
  override files = async () => null;
  override content = () => [] as never;
  override archive = () => [] as never;
  override close = async () => undefined;
}

class Waiting extends Played {
  readonly #ended = Promise.withResolvers<void>();
  end = this.#ended.resolve;

  constructor() {
    super({});
  }

  override async run() {
    await this.#ended.promise;
    return { exitCode: 0, exceeded: null };
  }
}

/** A sandbox whose commands run until they are interrupted. */
class Running extends Played {
  constructor() {
    super({});
  }

  override run(_: SandboxCommand, __: OnOutput, signal?: AbortSignal) {
    return new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  }
}

function collecting(): { lines: string[]; progress: JobProgress } {
  const lines: string[] = [];
  const log = async (_: string, text: string) => void lines.push(text);
  return { lines, progress: { log, step: async () => undefined, isLogFull: () => false } };
}

const commands = (
  played: Record<string, Ran>,
  unmet: string | null = null,
  { progress } = collecting(),
  sandbox: Sandbox = new Played(played),
) => new Commands({ sandbox, folder: '.', tools: [], unmet }, progress, new AbortController().signal);

describe('The error of a failed build', () => {
  const failing = ['Could not locate the bindings file.', 1] as const;
  const BLOCKED = 'installed without their install scripts';

  it.each([
    [
      'npm',
      '\u001b[1mnpm\u001b[22m \u001b[33mwarn\u001b[39m install-scripts 2 packages had install scripts blocked because',
    ],
    ['pnpm', 'Ignored build scripts: esbuild@0.25.11.'],
    ['Bun', 'Blocked 3 postinstalls. Run `bun pm untrusted` for details.'],
  ])('the error of a failed build says that install scripts were skipped if %s reported it', async (_, said) => {
    const running = commands({ install: [`${said}\n`, 0], build: failing });
    await running.install('install', {});
    await expect(running.run('build', 'build', {})).rejects.toThrow(BLOCKED);
  });

  it('the error of a failed build names the required Node version if builds use another version', async () => {
    const running = commands(
      { install: ['1 package had install scripts blocked\n', 0], build: failing },
      'It requires Node 18.',
    );
    await running.install('install', {});
    await expect(running.run('build', 'build', {})).rejects.toThrow(
      /^“build” exited with code 1\. It requires Node 18\. Some packages/,
    );
  });

  it('the error of a failed build does not mention install scripts if only the build command mentioned them', async () => {
    const running = commands({ build: ['install scripts blocked', 1] });
    await expect(running.run('build', 'build', {})).rejects.toThrow(
      /^“build” exited with code 1\. The log says: install scripts blocked$/,
    );
  });

  it.each([
    ['npm ci', 'npm error code EUSAGE', 'npm install'],
    ['yarn install --frozen-lockfile', 'error Your lockfile needs to be updated, but yarn was run', 'yarn install'],
    ['yarn install --immutable', '➤ YN0028: The lockfile would have been modified', 'yarn install --no-immutable'],
    [
      'pnpm install --frozen-lockfile',
      ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install',
      'pnpm install --no-frozen-lockfile',
    ],
    ['bun install --frozen-lockfile', 'error: lockfile had changes, but lockfile is frozen', 'bun install'],
  ])('an outdated lock file that “%s” rejects is updated, with a warning', async (strict, says, instead) => {
    const log = collecting();
    await commands({ [strict]: [`${says}\n`, 1], [instead]: ['added\n', 0] }, null, log).install(strict, {});
    expect(log.lines).toEqual([
      `$ ${strict}`,
      says,
      expect.stringContaining(`“${instead}” adds what is missing`),
      `$ ${instead}`,
      'added',
    ]);
  });

  it('an install command is not retried if it failed for a reason other than an outdated lock file', () =>
    expect(commands({ 'npm ci': ['npm error code E404\n', 1] }).install('npm ci', {})).rejects.toThrow(
      '“npm ci” exited with code 1. The log says: npm error code E404',
    ));

  it('the message of a failed build quotes the lines that explain the failure', async () => {
    const output = `vite v7.0.0 building\n\u001b[31merror during build:\u001b[39m\nCould not resolve "/missing.js" from "index.html"\n    at a (b.js:1)\n\nnpm error code 1\nnpm error path /workspace\n`;
    await expect(commands({ build: [output, 1] }).run('build', 'build', {})).rejects.toThrow(
      '“build” exited with code 1. The log says: error during build: | Could not resolve "/missing.js" from "index.html"',
    );
  });

  it.each([
    'Error: Missing required environment variable: STRIPE_KEY',
    'STRIPE_KEY is not defined',
    'Error: process.env.STRIPE_KEY is undefined',
    'Environment variable `STRIPE_KEY` not found',
  ])('the message of a failed build names a missing environment variable: %s', async (says) => {
    const env = { STELE_SLUG: 'amber' };
    await expect(commands({ build: [says, 1] }).run('build', 'build', env)).rejects.toThrow(
      'PUT /v1/sites/amber/secrets/STRIPE_KEY',
    );
    const all = { ...env, STRIPE_KEY: 'x' };
    await expect(commands({ build: [says, 1] }).run('build', 'build', all)).rejects.not.toThrow('/secrets/');
  });

  it('the message of a failed command names the hosts that were blocked, with the reasons', async () => {
    const running = commands({ install: ['ERROR: Failed to set up chrome\n', 1] });
    running.refused('storage.googleapis.com', 'is not one of the allowed hosts');
    running.refused('registry.npmjs.org', 'was requested with Encrypted Client Hello, which must be turned off');
    await expect(running.install('install', {})).rejects.toThrow(
      'Connections to 2 hosts were blocked: storage.googleapis.com is not one of the allowed hosts; registry.npmjs.org was requested with Encrypted Client Hello, which must be turned off (STELE_BUILD_HOSTS).',
    );
  });

  it('the message of a failed command lists every reason why a host was blocked', async () => {
    const running = commands({ install: ['ERROR: Failed to set up chrome\n', 1] });
    running.refused('example.com', 'was requested without HTTPS');
    running.refused('example.com', 'is not one of the allowed hosts');
    await expect(running.install('install', {})).rejects.toThrow(
      'Connections to 1 host were blocked: example.com was requested without HTTPS; example.com is not one of the allowed hosts (STELE_BUILD_HOSTS).',
    );
  });

  it('a command that tries again and again to connect to a blocked host is stopped', async () => {
    const running = commands({}, null, collecting(), new Running());
    const installing = running.install('npm ci', {});
    const failed = expect(installing).rejects.toThrow(
      'The command was stopped, because it tried again and again to connect to registry.npmmirror.com, which is not one of the allowed hosts (STELE_BUILD_HOSTS).',
    );
    await new Promise(setImmediate);
    for (let n = 0; n < 1_000; n++) running.refused('registry.npmmirror.com', 'is not one of the allowed hosts');
    await failed;
  });

  it('a command that is interrupted because the job took too long reports its blocked hosts', async () => {
    const ending = new AbortController();
    const { progress } = collecting();
    const running = new Commands(
      { sandbox: new Running(), folder: '.', tools: [], unmet: null },
      progress,
      ending.signal,
    );
    const failed = expect(running.install('npm ci', {})).rejects.toThrow(
      '“npm ci” was still running. Connections to 1 host were blocked: example.com is not one of the allowed hosts (STELE_BUILD_HOSTS).',
    );
    await new Promise(setImmediate);
    running.refused('example.com', 'is not one of the allowed hosts');
    ending.abort(new Error('The job took too long.'));
    await failed;
  });

  it('the log reports that a silent command is still running', async () => {
    jest.useFakeTimers({ now: 0 });
    try {
      const log = collecting();
      const sandbox = new Waiting();
      const running = commands({}, null, log, sandbox).install('npm ci', {});
      await jest.advanceTimersByTimeAsync(31_000);
      expect(log.lines.slice(1)).toEqual([
        '“npm ci” is still running after 15 seconds',
        '“npm ci” is still running after 30 seconds',
      ]);
      sandbox.end();
      await running;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(log.lines).toHaveLength(3);
    } finally {
      jest.useRealTimers();
    }
  });
});
