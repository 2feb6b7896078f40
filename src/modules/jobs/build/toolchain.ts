import type { Plan } from '../../../events/repo-source.js';
import type { Builder, BuildTool } from '../../../kernel/ports/builder.js';
import type { BuildSettings } from '../../../settings.js';
import { mayBeMajor, NODE_MAJOR } from '../detect/node-version.js';
import { packageManagerOf } from '../detect/package-manager.js';
import type { RepoFiles } from '../detect/repo-files.js';
import { BuildFailed } from './build-failed.js';

/** What is put beside the machine’s own Node and npm for a plan: each provided. Throws `BuildFailed`. */
export async function toolchain(
  files: RepoFiles,
  plan: Plan,
  builder: Builder,
  { nodeVersions }: BuildSettings,
  signal: AbortSignal,
): Promise<readonly BuildTool[]> {
  const manager = await packageManagerOf(files, plan);
  const node = nodeFor(plan.nodeVersion, nodeVersions);
  const tools = [
    ...(manager === null ? [] : [manager]),
    ...(node === null ? [] : [{ name: 'node' as const, version: node }]),
  ];
  for (const tool of tools)
    if (!(await builder.provide(tool, signal)))
      throw new BuildFailed(`${tool.name} ${tool.version} cannot be had from the registry.`);
  return tools;
}

/** The version of Node to be fetched; null where our own is what the project asks for, or nothing else is there. */
function nodeFor(range: string | null, versions: readonly string[]): string | null {
  if (range === null || mayBeMajor(range, NODE_MAJOR)) return null;
  return versions.find((version) => mayBeMajor(range, Number.parseInt(version, 10))) ?? null;
}
