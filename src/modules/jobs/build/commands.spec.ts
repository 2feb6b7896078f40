import { describe, expect, it } from '@jest/globals';
import { type OnOutput, Sandbox, type SandboxCommand } from '../../../kernel/ports/outside/builder.js';
import type { JobProgress } from '../job-progress.js';
import { Commands } from './commands.js';

type Ran = readonly [printed: string, exitCode: number];

/** Prints the given output for each command. */
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

const silent: JobProgress = { log: async () => undefined, step: async () => undefined, isLogFull: () => false };

const commands = (played: Record<string, Ran>, unmet: string | null = null) =>
  new Commands({ sandbox: new Played(played), folder: '.', tools: [], unmet }, silent, new AbortController().signal);

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
  ])('says that install scripts were skipped if %s reported it', async (_, said) => {
    const room = commands({ install: [`${said}\n`, 0], build: failing });
    await room.install('install', {});
    await expect(room.run('build', 'build', {})).rejects.toThrow(BLOCKED);
  });

  it('also names the Node version that the project requires if builds use another version', async () => {
    const room = commands(
      { install: ['1 package had install scripts blocked\n', 0], build: failing },
      'It requires Node 18.',
    );
    await room.install('install', {});
    await expect(room.run('build', 'build', {})).rejects.toThrow(
      /^“build” exited with code 1\. It requires Node 18\. Some packages/,
    );
  });

  it('does not mention install scripts if only the build command printed such a message', async () => {
    const room = commands({ build: ['install scripts blocked', 1] });
    await expect(room.run('build', 'build', {})).rejects.toThrow(/^“build” exited with code 1\.$/);
  });
});
