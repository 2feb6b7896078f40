import type { Actor } from '../../../kernel/event-store.js';
import type { Plan } from '../../../events/repo-source.js';
import type { Builder, BuildTool, CommandEnd, OutputFile, Sandbox } from '../../../kernel/ports/builder.js';
import type { JobFile } from '../../../kernel/ports/job-sites.js';
import type { RepoCopy } from '../../../kernel/ports/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { BuildSettings } from '../../../settings.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { JobProgress } from '../worker/deploy-repository.js';
import { BuildFailed } from './build-failed.js';
import { buildEnvironment, type BuildOf } from './environment.js';
import { outputFolder } from './output-folder.js';
import { LineReader } from './terminal-text.js';
import { toolchain } from './toolchain.js';

/** A work tree, dependencies, output and temporary files: three times the largest deploy. */
const DISK_BYTES = 4 * 1_073_741_824;
const DISK_FILES = 400_000;
const PROCESSES = 1_024;

type Built = {
  /** Of the folder that is published. */
  readonly files: AsyncIterable<JobFile>;
  /** Relative to the repository. */
  readonly folder: string;
};

/**
 * Installs what the repository depends on, builds it, and hands over the folder that came of it, while the sandbox is
 * there. Throws `BuildFailed` where a command fails or a limit is met.
 */
export async function buildSite<Result>(
  copy: RepoCopy,
  tree: RepoFiles,
  plan: Plan,
  build: BuildOf,
  { builder, builds }: { readonly builder: Builder; readonly builds: BuildSettings },
  progress: JobProgress,
  signal: AbortSignal,
  publish: (built: Built) => Promise<Result>,
): Promise<Result> {
  const limits = {
    memoryBytes: builds.memoryBytes,
    processes: PROCESSES,
    diskBytes: DISK_BYTES,
    diskFiles: DISK_FILES,
  };
  const refused = new Set<string>();
  const sandbox = await builder.open(limits, (host, why) => refused.add(`${host} ${why}`));
  try {
    await progress.step('install', 'running');
    for (const { path, why } of await sandbox.write(tree.entries, (entry) => copy.content(entry)))
      await progress.log('install', `${path} is left out: ${why}`, 'stderr');
    const tools = await toolchain(tree, plan, builder, builds, signal);
    for (const { name, version } of tools) await progress.log('install', `With ${name} ${version}`);
    const environment = buildEnvironment(build);
    const commands = new Commands(sandbox, plan, tools, progress, refused, signal);
    await commands.run('install', plan.installCommand, environment.install);
    await progress.step('install', 'succeeded');

    await progress.step('build', 'running');
    const begun = Date.now();
    await commands.run('build', plan.buildCommand, environment.build);
    const folder = await outputFolder(sandbox, plan, begun);
    await progress.log('build', `The pages are in ${folder}`);
    await progress.step('build', 'succeeded');
    const files = (await sandbox.files(folder)) ?? [];
    return await publish({ files: published(sandbox, folder, files), folder });
  } finally {
    await sandbox.close();
  }
}

class Commands {
  constructor(
    private readonly sandbox: Sandbox,
    private readonly plan: Plan,
    private readonly tools: readonly BuildTool[],
    private readonly progress: JobProgress,
    private readonly refused: Set<string>,
    private readonly signal: AbortSignal,
  ) {}

  async run(step: 'install' | 'build', script: string | null, env: Readonly<Record<string, string>>): Promise<void> {
    if (script === null) return;
    await this.progress.log(step, `$ ${script}`);
    const readers = {
      stdout: new LineReader((text) => this.progress.log(step, text)),
      stderr: new LineReader((text) => this.progress.log(step, text, 'stderr')),
    };
    const command = { script, folder: this.plan.rootDirectory, tools: this.tools, env };
    const end = await this.sandbox.run(command, (stream, bytes) => readers[stream].read(bytes), this.signal);
    await readers.stdout.end();
    await readers.stderr.end();
    await this.#tellRefused(step);
    this.#check(script, end);
  }

  async #tellRefused(step: 'install' | 'build') {
    for (const refusal of this.refused)
      await this.progress.log(step, `Not reached: ${refusal}. The operator lists the hosts of builds in STELE_BUILD_HOSTS.`, 'stderr');
    this.refused.clear();
  }

  #check(script: string, { exitCode, exceeded }: CommandEnd) {
    if (exceeded && (exitCode !== 0 || exceeded.what === 'disk'))
      throw new BuildFailed(`“${script}” met the limit of ${exceeded.limit} ${WORDS[exceeded.what]}.`);
    if (exitCode !== 0) throw new BuildFailed(`“${script}” ended with exit code ${exitCode}.`);
  }
}

const WORDS = { memory: 'of memory', processes: 'processes', disk: 'on disk', files: 'files on disk' } as const;

async function* published(sandbox: Sandbox, folder: string, files: readonly OutputFile[]): AsyncGenerator<JobFile> {
  for (const { path, kind } of files) {
    if (path === null) yield { path: '?', leftOut: 'its name is not UTF-8' };
    else if (kind === 'link') yield { path, leftOut: 'it is a symbolic link' };
    else if (kind === 'other') yield { path, leftOut: 'it is no regular file' };
    else yield { path, content: sandbox.content(folder, path) };
  }
}

/** Refuses to run code for a stranger, where the operator does not want that. */
export function expectMayBuild(startedBy: Actor, { needSession }: BuildSettings): void {
  if (needSession && startedBy.kind !== 'user')
    refuse('unauthenticated', 'Repositories that have to be built need a session on this server. Sign in, and deploy it again.');
}

/** Refuses a plan that this process cannot build, naming what to install. */
export async function expectBuilder(builder: Builder, kind: Plan['kind']): Promise<void> {
  if (kind === 'static') return;
  const missing = await builder.tried();
  if (missing !== null) refuse('builder_unavailable', missing);
  if (kind !== 'static_build') refuse('builder_unavailable', `This server cannot run the plan ${kind} yet.`);
}
