import type { Plan } from '../../../events/repo-source.js';
import type { Builder, BuildTool } from '../../../kernel/ports/outside/builder.js';
import type { BuildSettings } from '../../../settings.builds.js';
import { nodeFor } from '../detect/node-version.js';
import { packageManagerOf } from '../detect/package-manager.js';
import type { RepoFiles } from '../detect/repo-files.js';
import { BuildFailed } from './build-failed.js';

export type Toolchain = {
  /** What is put beside the machine’s own Node and npm, each provided. */
  readonly tools: readonly BuildTool[];
  /** What the project asks for and does not get, in words; null where nothing is known to be missing. */
  readonly unmet: string | null;
};

/** The tools of a plan. Throws `BuildFailed`. */
export async function toolchain(
  files: RepoFiles,
  plan: Plan,
  builder: Builder,
  { nodeVersions }: BuildSettings,
  signal: AbortSignal,
): Promise<Toolchain> {
  const manager = await packageManagerOf(files, plan);
  const { fetched, unmet } = nodeFor(plan.nodeVersion, nodeVersions);
  const tools = [
    ...(manager === null ? [] : [manager]),
    ...(fetched === null ? [] : [{ name: 'node' as const, version: fetched }]),
  ];
  for (const tool of tools)
    if (!(await builder.provide(tool, signal)))
      throw new BuildFailed(
        `${tool.name} ${tool.version} is not available: the registry does not have this version or could not be reached.`,
      );
  return { tools, unmet };
}
