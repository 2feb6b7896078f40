import type { Plan } from '../../../events/repo-source.js';
import { LineReader } from '../../../kernel/output/terminal-text.js';
import { type BuiltImage, ImageBuildError, type ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import { whyTriggerRefused } from '../detect/dockerfile/dockerfile.js';
import { imageBases, parseDockerfilePath } from '../detect/dockerfile/image-bases.js';
import { warnOfDownloads } from '../detect/dockerfile/network-use.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { JobProgress } from '../job-progress.js';
import { inFolder } from '../publish/static-files.js';
import { BuildError } from './build-failed.js';
import { DISK_BYTES, DISK_FILES, PROCESSES } from './build-limits.js';
import { RecentOutput } from './failure-hints.js';

type ImageOf = { readonly copy: RepoCopy; readonly files: RepoFiles; readonly plan: Plan };

/**
 * Builds a container image without arguments, secrets or network access, and passes the image's archive to `store`. May
 * throw `BuildError`.
 */
export async function buildImage<Result>(
  { copy, files, plan }: ImageOf,
  { imageBuilder, builds }: { readonly imageBuilder: ImageBuilder; readonly builds: BuildSettings },
  progress: JobProgress,
  signal: AbortSignal,
  store: (archive: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const { registries, memoryBytes, serverBytes } = builds;
  const bases = await imageBases(files, plan, registries);
  const source = {
    entries: inFolder(files.entries, plan.rootDirectory),
    content: (entry: Parameters<RepoCopy['content']>[0]) => copy.content(entry),
    dockerfile: parseDockerfilePath(plan.dockerfile),
    bases,
    whyRefused: (instruction: string) => whyTriggerRefused(instruction, registries),
  };
  const limits = { memoryBytes, processes: PROCESSES, diskBytes: DISK_BYTES, diskFiles: DISK_FILES };
  await progress.step('build', 'running');
  let image: BuiltImage | undefined;
  try {
    const dockerfile = await files.readFile(`/${plan.rootDirectory}/${source.dockerfile}`);
    const hint = warnOfDownloads(dockerfile, builds.imageNetwork);
    image = await built(imageBuilder, source, limits, hint, progress, signal);
    for (const { path, why } of image.leftOut) await progress.log('build', `Skipped ${path}: ${why}`, 'stderr');
    await progress.step('build', 'succeeded');
    return await store(image.archive(serverBytes));
  } finally {
    await image?.close();
  }
}

async function built(
  imageBuilder: ImageBuilder,
  source: Parameters<ImageBuilder['build']>[0],
  limits: Parameters<ImageBuilder['build']>[1],
  /** A likely reason why the image can't be built, shown if the build fails; null if unknown. */
  hint: string | null,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const recent = new RecentOutput();
  const reader = new LineReader((text) => {
    recent.add(text);
    return progress.log('build', text, 'stdout');
  });
  const heard = async (_: 'stdout' | 'stderr', bytes: Uint8Array) => {
    if (!progress.isLogFull()) await reader.read(bytes);
  };
  try {
    return await imageBuilder.build(source, limits, heard, signal);
  } catch (error) {
    if (!(error instanceof ImageBuildError)) throw error;
    const errors = recent.listErrors();
    const said = errors.length === 0 ? [] : [`The log says: ${errors.join(' | ')}`];
    throw new BuildError([shown(error.message), hint ?? [], said].flat().join(' '));
  } finally {
    await reader.end();
  }
}

/** Removes the middle of a long message, because an engine's message may contain a long command. */
const shown = (message: string) =>
  message.length > 1_000 ? `${message.slice(0, 500)} … ${message.slice(-500)}` : message;
