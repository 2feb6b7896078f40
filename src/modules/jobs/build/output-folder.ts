import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import type { OutputFile, Sandbox } from '../../../kernel/ports/outside/builder.js';
import { BuildFailed } from './build-failed.js';

/** Where generators put pages, the usual first. */
const USUAL = [
  ...['dist', 'build', 'out', '_site', 'public', 'www', '.output/public', 'dist/client', 'build/client'],
  ...['docs/.vitepress/dist', '.vitepress/dist', 'docs/.vuepress/dist', 'src/.vuepress/dist', '.vuepress/dist'],
];

/** Folders that are not looked through for what a project calls its output: of dependencies, and of tools. */
const OF_OTHERS = /(?:^|\/)(?:node_modules|\.[^/]*)\//;

const PAGE = 'index.html';

/** File systems and clocks round: a file that is written at the very start counts as new. */
const ROUNDING_MS = 2_000;

/**
 * The folder that a build has made, relative to the repository: new or changed since it began, with a page to begin
 * with. What the plan names stands, if it is there; then the usual ones; then the only one that has a new page.
 */
export async function outputFolder(sandbox: Sandbox, plan: Plan, begunMs: number): Promise<string> {
  const { rootDirectory, outputDirectory } = plan;
  const candidates = [...new Set([...(outputDirectory === null ? [] : [outputDirectory]), ...USUAL])];
  for (const candidate of candidates) {
    const folder = posix.join(rootDirectory, candidate);
    const files = await sandbox.files(folder);
    if (files && isMade(files, begunMs)) return folder;
  }
  const found = foldersOfPages((await sandbox.files(rootDirectory)) ?? [], begunMs);
  if (found.length === 1) return posix.join(rootDirectory, found[0] ?? '.');
  throw new BuildFailed(found.length > 1 ? severalPages(found) : noPage(outputDirectory));
}

/** The folders that have a new page, none of them inside another. */
function foldersOfPages(files: readonly OutputFile[], begunMs: number): readonly string[] {
  const found: string[] = [];
  const folders = files.flatMap(({ path, kind, modifiedMs }) =>
    kind === 'file' && path?.endsWith(`/${PAGE}`) && !OF_OTHERS.test(path) && isNew(modifiedMs, begunMs)
      ? [path.slice(0, -PAGE.length)]
      : [],
  );
  // With its slash behind it, a folder stands right before what is in it.
  for (const folder of folders.sort()) if (!folder.startsWith(found.at(-1) ?? '\0')) found.push(folder);
  return found.map((folder) => folder.slice(0, -1));
}

const isMade = (files: readonly OutputFile[], begunMs: number) =>
  files.some(({ path }) => path === PAGE) &&
  files.some(({ kind, modifiedMs }) => kind === 'file' && isNew(modifiedMs, begunMs));

const isNew = (modifiedMs: number, begunMs: number) => modifiedMs >= begunMs - ROUNDING_MS;

const noPage = (named: string | null) =>
  `The build produced no page: it wrote no ${PAGE} to ${named === null ? '' : `“${named}”, `}${USUAL.slice(0, 5).join(', ')} or any other folder. Set plan.outputDirectory to the folder that contains the pages.`;

const severalPages = (folders: readonly string[]) =>
  `The build produced pages in several folders: ${folders.slice(0, 5).join(', ')}. Set plan.outputDirectory to the folder to publish.`;
