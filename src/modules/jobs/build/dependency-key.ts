import { hash } from 'node:crypto';
import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { BuildTool } from '../../../kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import type { BuildOf } from './environment.js';

const LOCK = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/;
/** What else decides what is installed: manifests, settings of package managers, packages that lie in the repository. */
const DECIDING =
  /^(?:package\.json|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|\.yarnrc(?:\.yml)?|bunfig\.toml|\.npmrc)$|\.(?:tgz|tar\.gz)$/;
/** Patches of packages, and Yarn’s own programs. */
const DECIDING_FOLDER = /(?:^|\/)(?:\.yarn\/(?:patches|plugins|releases)|patches)\//;

const isLock = (path: string) => LOCK.test(posix.basename(path));
const isDeciding = ({ path }: RepoEntry) =>
  path !== null && (isLock(path) || DECIDING.test(posix.basename(path)) || DECIDING_FOLDER.test(path));

/** Raised when entries of earlier versions of this code must not be used. */
const FORMAT = 2;

/** What is installed with, and for whom. */
export type InstalledBy = Pick<BuildOf, 'siteId' | 'endedRights' | 'isTrusted' | 'secrets'> & {
  readonly engine: string;
  readonly tools: readonly BuildTool[];
};

/** What dependencies are kept under, and the files that they are installed from. */
export type DependencyKey = { readonly key: string; readonly entries: readonly RepoEntry[] };

/**
 * The files that decide what is installed, and a key of everything that an install from these files alone depends on: the
 * site and whether the build is trusted, its secrets, the sandbox and its tools, the plan, and git’s own digests of the
 * files. After a right to the site has ended, no earlier key comes again. Null if there is no lock file: then each install
 * may bring something else.
 */
export function dependencyKey(
  { siteId, endedRights, isTrusted, secrets, engine, tools }: InstalledBy,
  committed: readonly RepoEntry[],
  { installCommand, rootDirectory }: Plan,
): DependencyKey | null {
  const entries = committed.filter(isDeciding);
  if (!entries.some(({ path }) => path !== null && isLock(path))) return null;
  const of = { siteId, endedRights, isTrusted, secrets: JSON.stringify([...secrets].sort()) };
  const machine = { engine, tools: [...tools], node: process.version, arch: process.arch };
  const deciding = entries.map(({ path, kind, oid, isExecutable }) => [path, kind, oid, isExecutable]);
  const key = hash('sha256', canonical({ format: FORMAT, of, machine, installCommand, rootDirectory, deciding }));
  return { key, entries };
}
