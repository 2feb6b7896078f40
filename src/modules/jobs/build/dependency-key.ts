import { hash } from 'node:crypto';
import type { Plan } from '../../../events/repo-source.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { BuildTool } from '../../../kernel/ports/builder.js';
import type { RepoFiles } from '../detect/repo-files.js';

/** Files that decide what is installed, by their names. */
const DECIDING =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.cjs|yarn\.lock|\.yarnrc\.yml|bun\.lockb?|\.npmrc)$/;
const LOCK = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/;

/**
 * What the dependencies of a build are kept under: the site, the tools, and git’s own digests of every file that decides
 * what is installed. Null where there is no lock file: then each install may bring something else.
 */
export function dependencyKey(
  siteId: string,
  files: RepoFiles,
  plan: Plan,
  tools: readonly BuildTool[],
): string | null {
  const deciding = files.entries.flatMap(({ path, oid }) =>
    path !== null && DECIDING.test(path) ? [[path, oid]] : [],
  );
  if (!deciding.some(([path = '']) => LOCK.test(path))) return null;
  const { installCommand, rootDirectory } = plan;
  return hash('sha256', canonical({ siteId, tools: [...tools], installCommand, rootDirectory, deciding }));
}
