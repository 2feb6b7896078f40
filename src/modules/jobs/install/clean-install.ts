import type { Builder, BuildLimits, KeptDependencies, Sandbox } from '../../../kernel/ports/outside/builder.js';
import type { BuildSource } from '../build/build-source.js';
import { type CommandEnvironment, Commands } from '../build/commands.js';
import { installEnvironment } from '../build/environment.js';
import type { JobProgress } from '../job-progress.js';
import type { DependencyKey } from './dependency-key.js';
import type { OwnPackages } from './own-packages.js';

/** Install commands that detection proposes, each with a variant that runs no install scripts. */
const WITHOUT_SCRIPTS: Readonly<Record<string, string>> = {
  'npm ci': 'npm ci --ignore-scripts',
  'pnpm install --frozen-lockfile': 'pnpm install --frozen-lockfile --ignore-scripts',
  'yarn install --frozen-lockfile': 'yarn install --frozen-lockfile --ignore-scripts',
  'yarn install --immutable': 'yarn install --immutable --mode=skip-build',
  'bun install --frozen-lockfile': 'bun install --frozen-lockfile --ignore-scripts',
};

/** Reports whether the dependencies that a command installs can be reused. Unknown commands may install anything. */
export const canInstallClean = (installCommand: string) => Object.hasOwn(WITHOUT_SCRIPTS, installCommand);

/**
 * Install commands after which stored packages do not have to be linked again. Of these package managers, only npm can
 * run the install scripts later (`npm rebuild`). Yarn 2 and later are not listed, because they always link packages
 * again.
 */
const LINKED_ONCE = [
  'npm ci',
  'pnpm install --frozen-lockfile',
  'yarn install --frozen-lockfile',
  'bun install --frozen-lockfile',
];

/**
 * Shell command that succeeds if an installed package has an install script. It finds only names without JSON escapes,
 * but package.json files don't use any there.
 */
const HAVE_SCRIPTS = `if grep -rqE --include=package.json '"(pre|post)?install"[[:space:]]*:' .; then exit 0; fi
find . -name binding.gyp | grep -q .`;

export type CleanInstall = {
  readonly source: Pick<BuildSource, 'copy' | 'plan' | 'of'>;
  readonly environment: Pick<CommandEnvironment, 'tools' | 'unmet'>;
  readonly builder: Builder;
  readonly limits: BuildLimits;
  readonly own: OwnPackages;
};

/**
 * Installs dependencies without running their scripts, in a sandbox that contains only the files from which the storage
 * key is computed, and stores the result under the key. No other file, script or later command of the commit can thus
 * affect other builds. Resolves to whether the installation succeeded. Throws `BuildError` if a limit was reached.
 */
export async function cleanInstall(
  { source: { copy, plan, of }, environment, builder, limits, own }: CleanInstall,
  { key, entries }: DependencyKey,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<boolean> {
  const { installCommand, rootDirectory: folder } = plan;
  const script = WITHOUT_SCRIPTS[installCommand ?? ''];
  if (script === undefined) return false;
  const sandbox = await builder.open(limits, (host, why) => commands.refused(host, why));
  const commands = new Commands({ sandbox, folder, ...environment }, progress, signal);
  try {
    await sandbox.write(entries, (entry) => copy.content(entry));
    if (!(await commands.tries('install', script, installEnvironment(of)))) return false;
    const haveInstallScripts = own.haveInstallScripts || (await haveScripts(sandbox, signal));
    const isLinked = LINKED_ONCE.includes(installCommand ?? '') && !own.haveInstallScripts && !own.areWorkspaces;
    const canRunScripts = installCommand === 'npm ci';
    const kind = isLinked && (!haveInstallScripts || canRunScripts) ? 'packages' : 'downloads';
    const kept: KeptDependencies = { jobId: of.jobId, kind, haveInstallScripts };
    await sandbox.keepDependencies(key, kept, signal);
    return true;
  } finally {
    await sandbox.close();
  }
}

async function haveScripts(sandbox: Sandbox, signal: AbortSignal): Promise<boolean> {
  const command = { script: HAVE_SCRIPTS, folder: '.', tools: [], env: {} };
  const { exitCode } = await sandbox.run(command, async () => undefined, signal);
  // If the search for install scripts failed, assume that there are some.
  return exitCode !== 1;
}
