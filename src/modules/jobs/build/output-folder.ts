import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import type { OutputFile, Sandbox } from '../../../kernel/ports/outside/builder.js';
import { BuildError } from './build-failed.js';

/** Output folders of generators, most common first. */
const USUAL = [
  ...['dist', 'build', 'out', '_site', 'public', 'www', '.output/public', 'dist/client', 'build/client'],
  ...['docs/.vitepress/dist', '.vitepress/dist', 'docs/.vuepress/dist', 'src/.vuepress/dist', '.vuepress/dist'],
];

/** Folders of dependencies and tools, which are not searched for output. */
const OF_OTHERS = /(?:^|\/)(?:node_modules|\.[^/]*)\//;

const PAGE = 'index.html';

/** File times may be rounded. With this tolerance, a file written at the very start of the build counts as new. */
const ROUNDING_MS = 2_000;

/**
 * Returns the output folder relative to the repository. It must contain an index page, and a file that is new or
 * changed since the build began. Tries the folder in the plan and the common folders first. Otherwise, uses the only
 * folder with a new index page. Throws `BuildError` if there is no such folder or more than one.
 */
export async function outputFolder(sandbox: Sandbox, plan: Plan, begunMs: number): Promise<string> {
  const { rootDirectory, outputDirectory } = plan;
  const candidates = [...new Set([...(outputDirectory === null ? [] : [outputDirectory]), ...USUAL])];
  for (const candidate of candidates) {
    const folder = posix.join(rootDirectory, candidate);
    const files = await sandbox.files(folder);
    if (files && isMade(files, begunMs)) return folder;
  }
  const files = (await sandbox.files(rootDirectory)) ?? [];
  const found = foldersOfPages(files, begunMs);
  if (found.length === 1) return posix.join(rootDirectory, found[0] ?? '.');
  throw new BuildError(
    found.length > 1
      ? severalPages(found)
      : noPage(
          outputDirectory,
          files.some(({ path }) => path === PAGE),
        ),
  );
}

/** Returns the outermost folders that have a new index page. */
function foldersOfPages(files: readonly OutputFile[], begunMs: number): readonly string[] {
  const found: string[] = [];
  const folders = files.flatMap(({ path, kind, modifiedMs }) =>
    kind === 'file' && path?.endsWith(`/${PAGE}`) && !OF_OTHERS.test(path) && isNew(modifiedMs, begunMs)
      ? [path.slice(0, -PAGE.length)]
      : [],
  );
  // Each folder ends with a slash, so that sorting puts it immediately before its contents.
  for (const folder of folders.sort()) if (!folder.startsWith(found.at(-1) ?? '\0')) found.push(folder);
  return found.map((folder) => folder.slice(0, -1));
}

const isMade = (files: readonly OutputFile[], begunMs: number) =>
  files.some(({ path }) => path === PAGE) &&
  files.some(({ kind, modifiedMs }) => kind === 'file' && isNew(modifiedMs, begunMs));

const isNew = (modifiedMs: number, begunMs: number) => modifiedMs >= begunMs - ROUNDING_MS;

/**
 * The root directory is never chosen as the output folder automatically, because that would publish the sources too.
 */
const noPage = (named: string | null, isInRoot: boolean) =>
  `The build produced no page: it wrote no ${PAGE} to ${named === null ? '' : `“${named}”, `}${USUAL.slice(0, 5).join(', ')} or any other folder. ${isInRoot ? `The root directory has an ${PAGE}: to publish the whole root directory, set plan.outputDirectory to “.”.` : 'Set plan.outputDirectory to the folder that contains the pages.'}`;

const severalPages = (folders: readonly string[]) =>
  `The build produced pages in several folders: ${folders.slice(0, 5).join(', ')}. Set plan.outputDirectory to the folder to publish.`;
