import { hash } from 'node:crypto';
import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import type { BuildTool } from '../../../kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import type { BuildOf } from '../build/environment.js';

const LOCK = /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/;
/**
 * Files other than lock files that affect the installation: manifests, package manager settings and committed packages.
 */
const DECIDING =
  /^(?:package\.json|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|\.yarnrc(?:\.yml)?|bunfig\.toml|\.npmrc)$|\.(?:tgz|tar\.gz)$/;
/** Package patches, and Yarn's own releases and plugins. */
const DECIDING_FOLDER = /(?:^|\/)(?:\.yarn\/(?:patches|plugins|releases)|patches)\//;

const isLock = (path: string) => LOCK.test(posix.basename(path));
const isDeciding = ({ path }: RepoEntry) =>
  path !== null && (isLock(path) || DECIDING.test(posix.basename(path)) || DECIDING_FOLDER.test(path));

/**
 * Version of the format of stored dependencies. Increment it if dependencies stored by earlier versions of the code
 * must not be reused.
 */
const FORMAT = 2;

/** The inputs of an installation apart from the commit. */
export type InstalledBy = Pick<BuildOf, 'siteId' | 'endedRights' | 'isTrusted' | 'secrets'> & {
  readonly engine: string;
  readonly tools: readonly BuildTool[];
};

/** Key under which dependencies are stored, and the files that they are installed from. */
export type DependencyKey = { readonly key: string; readonly entries: readonly RepoEntry[] };

/**
 * Selects the files that affect the installation, and computes a key from everything on which an installation from
 * these files depends: the site, whether the build is trusted, its secrets, the sandbox and its tools, the plan, and
 * git's digests of the files. The key also changes whenever a right to deploy the site ends. Returns null if there is
 * no lock file, because each installation may then get different versions.
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
