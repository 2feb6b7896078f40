import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { readPackage } from '../detect/package-json.js';
import type { RepoFiles } from '../detect/repo-files.js';

/** More package.jsons than this are not looked at one by one. */
const MOST = 200;

/** Scripts that package managers run after they have installed (docs.npmjs.com, “scripts”), and what stands for one. */
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

/** What the packages of the repository itself mean for keeping what is installed. */
export type OwnPackages = {
  /** Whether one has a script that belongs to installing: then it has to run in each build. */
  readonly haveInstallScripts: boolean;
  /** Whether one depends on a folder of the repository, which may be copied, and then changes without its lock file. */
  readonly dependOnFolders: boolean;
  /** Whether they may be several that depend on each other: then more than the packages of others is linked. */
  readonly areWorkspaces: boolean;
};

/** `entries` are those of `files` that are looked at. What cannot be read may be anything. */
export async function ownPackages(files: RepoFiles, entries: readonly RepoEntry[]): Promise<OwnPackages> {
  const paths = entries.flatMap(({ path }) => (path !== null && isPackage(path) ? [path] : []));
  const isCompiled = entries.some(({ path }) => path?.split('/').pop() === COMPILED);
  const areTooMany = paths.length > MOST;
  const found = {
    haveInstallScripts: isCompiled || areTooMany,
    dependOnFolders: areTooMany,
    areWorkspaces: paths.length > 1 && entries.some(({ path }) => path?.split('/').pop() === PNPM_WORKSPACE),
  };
  for (const path of paths.slice(0, MOST)) {
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
