import { hash } from 'node:crypto';
import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { BuildTool } from '../../../kernel/ports/outside/builder.js';
import type { RepoFiles } from '../detect/repo-files.js';

const LOCK = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/;
/** What else decides what is installed: manifests, settings of package managers, packages that lie in the repository. */
const DECIDING =
  /^(?:package\.json|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|\.yarnrc(?:\.yml)?|bunfig\.toml|\.npmrc)$|\.(?:tgz|tar\.gz)$/;
/** Patches of packages, and Yarn’s own programs. */
const DECIDING_FOLDER = /(?:^|\/)(?:\.yarn\/(?:patches|plugins|releases)|patches)\//;

const isLock = (path: string) => LOCK.test(posix.basename(path));
const isDeciding = (path: string) => isLock(path) || DECIDING.test(posix.basename(path)) || DECIDING_FOLDER.test(path);

/** What is installed with, and for whom. */
export type InstalledBy = {
  readonly siteId: string;
  readonly engine: string;
  readonly tools: readonly BuildTool[];
};

/**
 * What the dependencies of a build are kept under: the site, the sandbox and its tools, and git’s own digests of every
 * file that decides what is installed. Null where there is no lock file: then each install may bring something else.
 */
export function dependencyKey({ siteId, engine, tools }: InstalledBy, files: RepoFiles, plan: Plan): string | null {
  const deciding = files.entries.flatMap(({ path, oid }) => (path !== null && isDeciding(path) ? [[path, oid]] : []));
  if (!deciding.some(([path = '']) => isLock(path))) return null;
  const { installCommand, rootDirectory } = plan;
  const machine = [process.version, process.arch];
  return hash(
    'sha256',
    canonical({ siteId, engine, tools: [...tools], machine, installCommand, rootDirectory, deciding }),
  );
}
