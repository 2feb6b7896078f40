import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { readPackage } from '../detect/package-json.js';
import type { RepoFiles } from '../detect/repo-files.js';

/** Maximum number of package.json files to read. */
const MAX_PACKAGES = 200;

/** Scripts that package managers run after an installation (docs.npmjs.com, "scripts"), and a file that implies one. */
const AFTER_INSTALL = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'dependencies',
  'pnpm:devPreinstall',
];
const COMPILED = 'binding.gyp';
const PNPM_WORKSPACE = 'pnpm-workspace.yaml';

/** Properties of the repository's own packages that determine whether dependencies can be reused. */
export type OwnPackages = {
  /** Whether a package has an install script, which has to run in each build. */
  readonly haveInstallScripts: boolean;
  /** Whether a package depends on a folder of the repository, which can change while the lock file stays the same. */
  readonly dependOnFolders: boolean;
  /** Whether the packages are workspaces, which may be linked to each other. */
  readonly areWorkspaces: boolean;
};

/**
 * Determines the properties in `OwnPackages` from the repository's package.json files. If one of them can't be read,
 * assumes that all three properties are true. `entries` is a subset of `files`.
 */
export async function ownPackages(files: RepoFiles, entries: readonly RepoEntry[]): Promise<OwnPackages> {
  const paths = entries.flatMap(({ path }) => (path !== null && isPackage(path) ? [path] : []));
  const isCompiled = entries.some(({ path }) => path?.split('/').pop() === COMPILED);
  const areTooMany = paths.length > MAX_PACKAGES;
  const found = {
    haveInstallScripts: isCompiled || areTooMany,
    dependOnFolders: areTooMany,
    areWorkspaces: paths.length > 1 && entries.some(({ path }) => path?.split('/').pop() === PNPM_WORKSPACE),
  };
  for (const path of paths.slice(0, MAX_PACKAGES)) {
    const project = await readPackage(files, path.slice(0, -'/package.json'.length) || '.');
    if (project === null) continue;
    if (project === 'unreadable') return { haveInstallScripts: true, dependOnFolders: true, areWorkspaces: true };
    found.haveInstallScripts ||= AFTER_INSTALL.some((name) => Object.hasOwn(project.scripts, name));
    found.dependOnFolders ||= project.dependsOnFolders;
    found.areWorkspaces ||= project.hasWorkspaces;
  }
  return found;
}

const isPackage = (path: string) => path === 'package.json' || path.endsWith('/package.json');
