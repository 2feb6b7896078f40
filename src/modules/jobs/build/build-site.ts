import type { Plan } from '../../../events/repo-source.js';
import type { Actor } from '../../../kernel/event-store.js';
import type {
  Builder,
  BuildTool,
  OutputFile,
  ProvidedTool,
  Sandbox,
  ToolDescriptor,
  ToolMissing,
} from '../../../kernel/ports/outside/builder.js';
import { refuse } from '../../../kernel/refusal.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import type { JobFile } from '../../sites/api/deploys.js';
import { chooseNodeVersion } from '../detect/node-version.js';
import { detectPackageManager } from '../detect/package-manager.js';
import type { RepoFiles } from '../detect/repo-files.js';
import { ignoredPackages, withoutCommittedPackages } from '../install/committed-packages.js';
import { install } from '../install/install.js';
import type { JobProgress } from '../job-progress.js';
import { BuildError } from './build-failed.js';
import { DISK_BYTES, DISK_FILES, PROCESSES } from './build-limits.js';
import type { BuildSource } from './build-source.js';
import { Commands } from './commands.js';
import { buildEnvironment, nodeMemory } from './environment.js';
import { gitFolder } from './git-folder.js';
import { nextServer, STANDALONE } from './next-server.js';
import { outputFolder } from './output-folder.js';

type Toolchain = {
  /** Downloaded tools, in addition to the machine's own Node and npm. */
  readonly tools: readonly BuildTool[];
  /**
   * Something that the project requires but that is not available, such as a version of Node; null if nothing is known
   * to be missing.
   */
  readonly unmet: string | null;
  /** Releases the tools. They may be removed afterwards. */
  readonly release: () => Promise<void>;
};

const WHY: Record<ToolMissing, string> = {
  unavailable: 'is not available: the registry does not have this version or could not be reached.',
  owner_full:
    'could not be downloaded: this owner’s running builds already use all of the disk space that one owner can use for build tools. Deploy again when they have finished.',
  full: 'could not be downloaded: running builds already use all of the disk space for build tools. Deploy again when they have finished.',
};

/** Provides the tools of a plan. Throws `BuildError` if a tool is unavailable. */
async function provideToolchain(
  files: RepoFiles,
  plan: Plan,
  share: string,
  builder: Builder,
  { nodeVersions }: BuildSettings,
  signal: AbortSignal,
): Promise<Toolchain> {
  const manager = await detectPackageManager(files, plan);
  const { fetched, unmet } = chooseNodeVersion(plan.nodeVersion, nodeVersions);
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
      if (typeof outcome === 'string') throw new BuildError(`${tool.name} ${tool.version} ${WHY[outcome]}`);
      provided.push(outcome);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { tools, unmet, release };
}

/** Output of a build: files to publish, or a server to run. Readable only while the sandbox exists. */
export type BuildOutput =
  | {
      readonly kind: 'files';
      readonly files: AsyncIterable<JobFile>;
      /** Paths of the files. A path is null if it is not valid UTF-8. */
      readonly paths: readonly (string | null)[];
    }
  | { readonly kind: 'server'; readonly archive: AsyncIterable<Uint8Array> };

type Outcome<Result> = {
  readonly result: Result;
  /** ID of the earlier job that installed the dependencies, or null if there is none. */
  readonly dependenciesFrom: string | null;
};

type Built<Result> = Outcome<Result> & { readonly tools: readonly ToolDescriptor[] };

type Services = { readonly builder: Builder; readonly builds: BuildSettings };

/**
 * Installs the dependencies of the repository, builds it, and passes the result to `store` while the sandbox exists.
 * Throws `BuildError` if a command fails or a limit is reached.
 */
export async function buildSite<Result>(
  source: BuildSource,
  services: Services,
  progress: JobProgress,
  signal: AbortSignal,
  store: (output: BuildOutput) => Promise<Result>,
): Promise<Built<Result>> {
  const { files, plan, share } = source;
  const { builder, builds } = services;
  await progress.step('install', 'running');
  const toolchain = await provideToolchain(files, plan, share, builder, builds, signal);
  try {
    for (const { name, version } of toolchain.tools) await progress.log('install', `Using ${name} ${version}`);
    const outcome = await buildWith(toolchain, source, services, progress, signal, store);
    return { ...outcome, tools: await builder.describe(toolchain.tools) };
  } finally {
    await toolchain.release();
  }
}

async function buildWith<Result>(
  { tools, unmet }: Toolchain,
  source: BuildSource,
  { builder, builds }: Services,
  progress: JobProgress,
  signal: AbortSignal,
  store: (output: BuildOutput) => Promise<Result>,
): Promise<Outcome<Result>> {
  const { copy, plan, of } = source;
  const limits = {
    memoryBytes: builds.memoryBytes,
    processes: PROCESSES,
    diskBytes: DISK_BYTES,
    diskFiles: DISK_FILES,
  };
  const sandbox = await builder.open(limits, (host, why) => commands.refused(host, why));
  const commands = new Commands({ sandbox, folder: plan.rootDirectory, tools, unmet }, progress, signal);
  try {
    const entries = await entriesToWrite(source, progress);
    const own = (await gitFolder(copy)) ?? undefined;
    for (const { path, why } of await sandbox.write(entries, (entry) => copy.content(entry), own))
      await progress.log('install', `Skipped ${path}: ${why}`, 'stderr');
    const environment = {
      ...nodeMemory(limits.memoryBytes),
      ...buildEnvironment(of),
      ...(plan.kind === 'next' && STANDALONE),
    };
    const installing = { source, entries, builder, limits, sandbox, commands, tools, unmet, environment };
    const dependenciesFrom = await install(installing, progress, signal);
    await progress.step('install', 'succeeded');

    await progress.step('build', 'running');
    if (builds.hugo !== null && plan.framework === 'hugo') await replaceHugo(sandbox, plan, signal);
    const begun = Date.now();
    if (plan.buildCommand !== null) await commands.build(plan.buildCommand, environment);
    const archive = plan.kind === 'next' ? await nextServer(sandbox, plan, tools) : null;
    if (archive !== null) {
      await progress.log('build', 'Next.js built a server');
      await progress.step('build', 'succeeded');
      return { result: await store({ kind: 'server', archive }), dependenciesFrom };
    }
    const folder = await outputFolder(sandbox, plan, begun);
    await progress.log('build', `Found the pages in ${folder}`);
    await progress.step('build', 'succeeded');
    const made = ((await sandbox.files(folder)) ?? []).filter(({ path }) => path === null || !NEVER.test(path));
    const paths = made.flatMap(({ path, kind }) => (kind === 'file' ? [path] : []));
    return { result: await store({ kind: 'files', files: published(sandbox, folder, made), paths }), dependenciesFrom };
  } finally {
    await sandbox.close();
  }
}

/** Replaces the Hugo commands of npm packages, which would download Hugo, with the operator’s Hugo. */
async function replaceHugo(sandbox: Sandbox, { rootDirectory: folder }: Plan, signal: AbortSignal) {
  const script = `for name in hugo hugo-extended; do
  if [ -e "node_modules/.bin/$name" ]; then ln -sf "$(command -v hugo)" "node_modules/.bin/$name"; fi
done`;
  await sandbox.run({ script, folder, tools: [], env: {} }, async () => undefined, signal);
}

/**
 * Selects the entries of the commit to write to the sandbox. Omits committed packages if the build installs the
 * dependencies.
 */
async function entriesToWrite({ files, plan }: BuildSource, progress: JobProgress) {
  if (plan.installCommand === null) return files.entries;
  const { entries, folders } = withoutCommittedPackages(files.entries);
  if (folders.length > 0) await progress.log('install', ignoredPackages(folders), 'stderr');
  return entries;
}

/** Folders that a build may leave in its output although they are not part of the site. */
const NEVER = /^(?:node_modules|\.next|\.git)\//;

async function* published(sandbox: Sandbox, folder: string, files: readonly OutputFile[]): AsyncGenerator<JobFile> {
  for (const { path, kind } of files) {
    if (path === null) yield { path: '?', leftOut: 'its name is not valid UTF-8' };
    else if (kind === 'link') yield { path, leftOut: 'it is a symbolic link' };
    else if (kind === 'other') yield { path, leftOut: 'it is not a regular file' };
    else yield { path, content: sandbox.content(folder, path) };
  }
}

/** Refuses anonymous callers if the operator allows only signed-in users to build. */
export function assertCanBuild(startedBy: Actor, { needSession }: BuildSettings): void {
  // Scheduled builds are always allowed. The service starts them itself, and only for sites that have an owner.
  if (needSession && startedBy.kind === 'anonymous')
    refuse('unauthenticated', 'This service only builds repositories for signed-in users. Sign in and deploy again.');
}
