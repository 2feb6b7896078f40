import type { RepoFiles } from './repo-files.js';
import { listParents } from './root-directory.js';

/** The fields of a package.json that a build needs. Their types are checked, but their values are untrusted. */
export type Package = {
  readonly scripts: Readonly<Record<string, string>>;
  /** Names of dependencies, including development dependencies. */
  readonly dependencies: ReadonlySet<string>;
  /** Names of the dependencies that are needed at run time. */
  readonly ownDependencies: ReadonlySet<string>;
  /** Version range of Node that the project requires. */
  readonly engine: string | null;
  /** Package manager and version as `name@version`, as in Corepack. */
  readonly packageManager: string | null;
  /** Whether the package declares a file to import or a command to run. */
  readonly isForOthers: boolean;
  /** Whether the package depends on a folder by path (`file:`, `link:`, `portal:`). */
  readonly dependsOnFolders: boolean;
  readonly hasWorkspaces: boolean;
};

/** Reads package.json. Returns null if the file does not exist, and `unreadable` if it is not JSON or is too long. */
export async function readPackage(files: RepoFiles, folder: string): Promise<Package | null | 'unreadable'> {
  const path = `/${folder}/package.json`;
  if (!files.has(path)) return null;
  try {
    return packageOf(record(JSON.parse(await files.readFile(path))));
  } catch {
    return 'unreadable';
  }
}

/** Returns the dependencies of a folder and its parents, because workspace packages can use what the root installs. */
export async function readDeclared(files: RepoFiles, folder: string): Promise<ReadonlySet<string>> {
  const declared = new Set<string>();
  for (const parent of listParents(folder)) {
    const project = await readPackage(files, parent);
    if (project === null || project === 'unreadable') continue;
    for (const name of project.dependencies) declared.add(name);
  }
  return declared;
}

/**
 * Matches a dependency that is a path to a folder, with or without a protocol. Paths to archives do not match, because
 * the lock file contains the archives' digests.
 */
const FOLDER = /^(?:file:|link:|portal:|\.{1,2}\/|~\/)(?!.*\.(?:tgz|tar\.gz)$)/;

function packageOf(given: Record<string, unknown>): Package {
  const own = Object.keys(record(given.dependencies));
  const versions = [given.dependencies, given.devDependencies, given.optionalDependencies, given.resolutions].flatMap(
    (each) => Object.values(record(each)),
  );
  const { node } = record(given.engines);
  return {
    scripts: Object.fromEntries(Object.entries(record(given.scripts)).filter(isText)),
    dependencies: new Set([...own, ...Object.keys(record(given.devDependencies))]),
    ownDependencies: new Set(own),
    engine: typeof node === 'string' ? node.slice(0, 100) : null,
    packageManager: typeof given.packageManager === 'string' ? given.packageManager.slice(0, 200) : null,
    isForOthers: ['module', 'exports', 'bin', 'types'].some((name) => Object.hasOwn(given, name)),
    dependsOnFolders: versions.some((version) => typeof version === 'string' && FOLDER.test(version)),
    hasWorkspaces: Object.hasOwn(given, 'workspaces'),
  };
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';

/** Returns the value if it is an object, otherwise an empty object. */
export const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
