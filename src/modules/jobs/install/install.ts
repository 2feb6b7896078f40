import type {
  Builder,
  BuildLimits,
  BuildTool,
  KeptDependencies,
  Sandbox,
} from '../../../kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import type { BuildSource } from '../build/build-source.js';
import type { Commands } from '../build/commands.js';
import type { JobProgress } from '../job-progress.js';
import { canInstallClean, cleanInstall } from './clean-install.js';
import { dependencyKey } from './dependency-key.js';
import { ownPackages } from './own-packages.js';

export type Installing = {
  readonly source: BuildSource;
  /** Files and links of the commit that were written to the sandbox. */
  readonly entries: readonly RepoEntry[];
  readonly builder: Builder;
  readonly limits: BuildLimits;
  readonly sandbox: Sandbox;
  readonly commands: Commands;
  readonly tools: readonly BuildTool[];
  readonly unmet: string | null;
  readonly environment: Readonly<Record<string, string>>;
};

/**
 * Installs the dependencies of a plan, reusing dependencies stored by an earlier build of the site. Resolves to the ID
 * of the job that stored the reused dependencies, or to null if none were reused. Throws `BuildError` if the
 * installation fails.
 */
export async function install(
  installing: Installing,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<string | null> {
  const { source, commands, environment } = installing;
  const { installCommand } = source.plan;
  if (installCommand === null) return null;
  const kept = await restored(installing, progress, signal);
  const isOfEarlier = kept !== null && kept.jobId !== source.of.jobId;
  if (isOfEarlier)
    await progress.log('install', `Restored the ${kept.kind} from an earlier build with the same lock file.`);
  const from = isOfEarlier ? kept.jobId : null;
  if (kept?.kind === 'packages') {
    if (!kept.haveInstallScripts) return from;
    if (await commands.tries('install', 'npm rebuild', environment)) return from;
    await progress.log('install', 'The restored packages could not be used; installing them again.', 'stderr');
  }
  await commands.install(installCommand, environment);
  return from;
}

/** Copies dependencies into the sandbox, after storing them if necessary. Resolves to null if they can't be stored. */
async function restored(
  { source, entries, builder, limits, sandbox, tools, unmet }: Installing,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<KeptDependencies | null> {
  const { files, plan, of } = source;
  if (plan.installCommand === null || !canInstallClean(plan.installCommand)) return null;
  const own = await ownPackages(files, entries);
  if (own.dependOnFolders) return null;
  const key = dependencyKey({ ...of, engine: builder.engine, tools }, entries, plan);
  if (key === null) return null;
  const earlier = await sandbox.restoreDependencies(key.key, signal);
  if (earlier !== null) return earlier;
  if (!(await sandbox.canKeepDependencies())) return null;
  const environment = { tools, unmet };
  if (await cleanInstall({ source, environment, builder, limits, own }, key, progress, signal))
    return sandbox.restoreDependencies(key.key, signal);
  await progress.log('install', 'Installing without scripts failed, so nothing is cached for later builds.');
  return null;
}
