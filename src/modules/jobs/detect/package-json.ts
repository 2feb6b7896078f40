import type { RepoFiles } from './repo-files.js';

/** What a package.json says of how its project is built. Whatever a stranger wrote there has the type that it should have. */
export type Package = {
  readonly scripts: Readonly<Record<string, string>>;
  /** Names of everything that it depends on, for its build too. */
  readonly dependencies: ReadonlySet<string>;
  /** Names of what it needs when it is used, without what its build needs. */
  readonly ownDependencies: ReadonlySet<string>;
  /** The range of Node that it runs on; null where it does not say. */
  readonly engine: string | null;
  /** `name@version`, as Corepack reads it; null where it does not say. */
  readonly packageManager: string | null;
  /** Whether it names a file that others import, or a command that others run. */
  readonly isForOthers: boolean;
  /** Whether it depends on a folder, by its path (`file:`, `link:`, `portal:`). */
  readonly dependsOnFolders: boolean;
  /** Whether it lists folders of packages of its own. */
  readonly hasWorkspaces: boolean;
};

/** Null where there is none; `unreadable` for one that is not JSON, or too long. */
export async function readPackage(files: RepoFiles, folder: string): Promise<Package | null | 'unreadable'> {
  const path = `/${folder}/package.json`;
  if (!files.has(path)) return null;
  try {
    return packageOf(record(JSON.parse(await files.readFile(path))));
  } catch {
    return 'unreadable';
  }
}

/** A path, with its protocol or without; not of an archive, whose digest the lock file has. */
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

/** The members of an object; none of anything else. */
export const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
