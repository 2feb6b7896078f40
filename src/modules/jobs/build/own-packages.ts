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

/** What the packages of the repository itself mean for keeping what is installed. */
export type OwnPackages = {
  /** Whether one has a script that belongs to installing: then it has to run in each build. */
  readonly haveInstallScripts: boolean;
  /** Whether one depends on a folder of the repository, which may be copied, and then changes without its lock file. */
  readonly dependOnFolders: boolean;
};

/** What cannot be read may be anything. */
export async function ownPackages(files: RepoFiles): Promise<OwnPackages> {
  const paths = files.entries.flatMap(({ path }) => (path !== null && isPackage(path) ? [path] : []));
  const isCompiled = files.entries.some(({ path }) => path?.split('/').pop() === COMPILED);
  const found = { haveInstallScripts: isCompiled || paths.length > MOST, dependOnFolders: paths.length > MOST };
  for (const path of paths.slice(0, MOST)) {
    const project = await readPackage(files, path.slice(0, -'/package.json'.length) || '.');
    if (project === null) continue;
    if (project === 'unreadable') return { haveInstallScripts: true, dependOnFolders: true };
    found.haveInstallScripts ||= AFTER_INSTALL.some((name) => Object.hasOwn(project.scripts, name));
    found.dependOnFolders ||= project.dependsOnFolders;
  }
  return found;
}

const isPackage = (path: string) => path === 'package.json' || path.endsWith('/package.json');
