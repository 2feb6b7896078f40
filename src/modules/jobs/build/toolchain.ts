import type { Plan } from '../../../events/repo-source.js';
import type { Builder, BuildTool, ProvidedTool, ToolMissing } from '../../../kernel/ports/outside/builder.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import { nodeFor } from '../detect/node-version.js';
import { packageManagerOf } from '../detect/package-manager.js';
import type { RepoFiles } from '../detect/repo-files.js';
import { BuildFailed } from './build-failed.js';

export type Toolchain = {
  /** What is put beside the machine’s own Node and npm, each provided. */
  readonly tools: readonly BuildTool[];
  /** What the project asks for and does not get, in words; null where nothing is known to be missing. */
  readonly unmet: string | null;
  /** The tools can be removed from then on. */
  readonly release: () => Promise<void>;
};

const WHY: Record<ToolMissing, string> = {
  unavailable: 'is not available: the registry does not have this version or could not be reached.',
  owner_full:
    'could not be downloaded: the owner’s running builds use all of the build tool space available to one owner. Deploy again when they have finished.',
  full: 'could not be downloaded: running builds use all of the build tool space. Deploy again when they have finished.',
};

/** Provides the tools of a plan. Throws `BuildFailed`. */
export async function provideToolchain(
  files: RepoFiles,
  plan: Plan,
  share: string,
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
  const provided: ProvidedTool[] = [];
  const release = async () => {
    for (const tool of provided) await tool.release();
  };
  try {
    for (const tool of tools) {
      const outcome = await builder.provide(tool, share, signal);
      if (typeof outcome === 'string') throw new BuildFailed(`${tool.name} ${tool.version} ${WHY[outcome]}`);
      provided.push(outcome);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { tools, unmet, release };
}
