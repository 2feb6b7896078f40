import type { Plan } from '../../../events/repo-source.js';
import type { Sandbox } from '../../../kernel/ports/outside/builder.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { JobProgress } from '../job-progress.js';
import type { Commands } from './commands.js';
import { dependencyKey, type InstalledBy } from './dependency-key.js';
import { ownPackages } from './own-packages.js';

/** Commands of ours that leave nothing to do where the same was installed before. Later Yarns always link anew. */
const DONE_ONCE = [
  'npm ci',
  'pnpm install --frozen-lockfile',
  'yarn install --frozen-lockfile',
  'bun install --frozen-lockfile',
];

export type Installing = {
  readonly sandbox: Sandbox;
  readonly commands: Commands;
  readonly files: RepoFiles;
  readonly plan: Plan;
  readonly by: InstalledBy;
  readonly environment: Readonly<Record<string, string>>;
};

/**
 * Installs what a plan depends on, or puts back what an earlier build of the site has installed from the same lock file.
 * What was installed is kept before any other command of the project runs; where installing fails nothing is. Throws
 * `BuildFailed`.
 */
export async function install(
  { sandbox, commands, files, plan, by, environment }: Installing,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<void> {
  const { installCommand } = plan;
  if (installCommand === null) return;
  const own = await ownPackages(files);
  const key = own.dependOnFolders ? null : dependencyKey(by, files, plan);
  if (key !== null && (await sandbox.restoreDependencies(key, signal))) {
    await progress.log('install', 'Restored the dependencies of an earlier build with the same lock file.');
    if (DONE_ONCE.includes(installCommand) && !own.haveInstallScripts) return;
    if (await commands.tries('install', quick(installCommand), environment)) return;
    await progress.log('install', 'The restored dependencies could not be used; installing them again.', 'stderr');
  }
  await commands.install(installCommand, environment);
  if (key !== null) await sandbox.keepDependencies(key, signal);
}

/** `npm ci` would begin by removing what was put back; the others see that nothing is missing. */
const quick = (command: string) => (command === 'npm ci' ? 'npm install --prefer-offline' : command);
