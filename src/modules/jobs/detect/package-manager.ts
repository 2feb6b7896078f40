import type { Plan } from '../../../events/repo-source.js';
import type { BuildTool } from '../../../kernel/ports/outside/builder.js';
import { readPackage } from './package-json.js';
import type { RepoFiles } from './repo-files.js';
import { listParents } from './root-directory.js';

type Manager = Exclude<BuildTool['name'], 'node'>;

const MANAGERS: readonly string[] = ['npm', 'pnpm', 'yarn', 'bun'] satisfies readonly Manager[];
const isManager = (name: string): name is Manager => MANAGERS.includes(name);

const LOCK_FILES = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const;

/** Default versions by lock file format, for projects that pin no version. */
const USUAL = {
  pnpm: { '5': '7.33.7', '6': '8.15.9', '9': '10.34.8' },
  yarn: { first: '1.22.22', berry: '4.18.1' },
  bun: '1.4.5',
} as const;

/**
 * First version of Bun that does not send Encrypted Client Hello. Earlier versions send it as a decoy (GREASE), and
 * builds cannot connect with it (docs/security.md, "Outgoing connections of builds and servers").
 */
const FIRST_PLAIN_BUN = [1, 3, 14] as const;

const EXACT = /^\d{1,4}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/;

export type FoundManager = {
  /** Package manager in the plan: `npm`, or for example `pnpm@10.34.8` if the project pins a version. */
  readonly packageManager: string;
  readonly name: Manager;
  readonly install: string;
  /** Path of the lock file, relative to the repository. */
  readonly lockFile: string | null;
  /** The package.json that pins the version, relative to the repository. */
  readonly pinnedBy: string | null;
  /** Why `packageManager` is ignored, or null if it is used or not set. */
  readonly warning: string | null;
};

/**
 * Determines the package manager from the lock file, or from `packageManager` in package.json if there is no lock file.
 * `packageManager` also determines the version. Both files may be in a parent folder.
 */
export async function findManager(files: RepoFiles, folder: string): Promise<FoundManager> {
  const pinned = await nearestPin(files, folder);
  const { version = '' } = pinned ?? {};
  const locked = nearestLock(files, folder);
  const name = locked?.name ?? (pinned && isManager(pinned.name) ? pinned.name : 'npm');
  const isPinned = pinned?.name === name && EXACT.test(version) && !isBunWithoutNetwork(name, version);
  return {
    packageManager: isPinned ? `${name}@${version}` : name,
    name,
    install: locked
      ? await lockedInstall(files, folder, name, isPinned ? version : null)
      : freeInstall(name, isPinned ? version : null),
    lockFile: locked?.path ?? null,
    pinnedBy: isPinned ? pinned.file : null,
    warning: pinned && !isPinned ? notFollowed(pinned, name) : null,
  };
}

/** Returns the path of the nearest lock file in the folder or its parents, relative to the repository. */
export const findLockFile = (files: RepoFiles, folder: string): string | null =>
  nearestLock(files, folder)?.path ?? null;

type Pin = { readonly file: string; readonly said: string; readonly name: string; readonly version: string };

/**
 * Finds the nearest pinned version in Corepack's format: `name@version`, optionally followed by `+` and a digest. The
 * digest is not needed, because npm's registry states it too.
 */
async function nearestPin(files: RepoFiles, folder: string): Promise<Pin | null> {
  for (const parent of listParents(folder)) {
    const project = await readPackage(files, parent);
    const said = project === 'unreadable' ? null : project?.packageManager;
    if (!said) continue;
    const [name = '', version = ''] = said.split(/[@+]/);
    return { file: parent === '' ? 'package.json' : `${parent}/package.json`, said: said.slice(0, 60), name, version };
  }
  return null;
}

function notFollowed({ file, said, name: pinned, version }: Pin, name: Manager): string {
  if (!isManager(pinned)) return `${file} requests ${said}, which is not available here; ${name} is used instead.`;
  if (pinned !== name) return `${file} requests ${said}, but the lock file is for ${name}; ${name} is used.`;
  if (isBunWithoutNetwork(name, version))
    return `${file} requests ${said}, which cannot connect to package registries here because it uses Encrypted Client Hello; bun ${USUAL.bun} is used.`;
  return `${file} requests ${said}, which is not an exact version such as ${name}@${exampleOf(name)}; the default version is used.`;
}

function isBunWithoutNetwork(name: Manager, version: string): boolean {
  if (name !== 'bun' || !EXACT.test(version)) return false;
  const numbers = version.split('-', 1)[0]?.split('.').map(Number) ?? [];
  const at = FIRST_PLAIN_BUN.findIndex((number, n) => number !== numbers[n]);
  return at >= 0 && (numbers[at] ?? 0) < (FIRST_PLAIN_BUN[at] ?? 0);
}

const exampleOf = (name: Manager) =>
  ({ npm: '12.2.0', pnpm: USUAL.pnpm['9'], yarn: USUAL.yarn.berry, bun: USUAL.bun })[name];

function nearestLock(files: RepoFiles, folder: string) {
  for (const parent of listParents(folder)) {
    const lock = LOCK_FILES.find(([file]) => files.has(`/${parent}/${file}`));
    if (lock) return { name: lock[1], path: parent === '' ? lock[0] : `${parent}/${lock[0]}` };
  }
  return null;
}

/** Yarn 2 and later needs an option to create a missing lock file in automated builds. */
const freeInstall = (name: Manager, version: string | null) =>
  name === 'yarn' && version !== null && !isFirstYarn(version) ? 'yarn install --no-immutable' : `${name} install`;

const isFirstYarn = (version: string) => /^[01]\./.test(version);

async function lockedInstall(files: RepoFiles, folder: string, name: Manager, version: string | null) {
  if (name === 'npm') return 'npm ci';
  if (name !== 'yarn') return `${name} install --frozen-lockfile`;
  const isLater = version === null ? await isBerry(files, folder) : !isFirstYarn(version);
  return isLater ? 'yarn install --immutable' : 'yarn install --frozen-lockfile';
}

/** Returns the package manager to download, or null for the machine's own npm and for an unknown package manager. */
export async function detectPackageManager(
  files: RepoFiles,
  { packageManager, rootDirectory }: Pick<Plan, 'packageManager' | 'rootDirectory'>,
): Promise<BuildTool | null> {
  const [name = '', version = ''] = packageManager?.split('@') ?? [];
  if (!isManager(name)) return null;
  if (EXACT.test(version)) return { name, version };
  if (name === 'npm') return null;
  if (name === 'bun') return { name, version: USUAL.bun };
  if (name === 'yarn') return { name, version: USUAL.yarn[(await isBerry(files, rootDirectory)) ? 'berry' : 'first'] };
  const [, format = '9'] =
    /^lockfileVersion: ['"]?(\d)/m.exec((await nearest(files, rootDirectory, 'pnpm-lock.yaml')) ?? '') ?? [];
  return { name, version: Object.entries(USUAL.pnpm).find(([of]) => of === format)?.[1] ?? USUAL.pnpm['9'] };
}

async function isBerry(files: RepoFiles, folder: string): Promise<boolean> {
  return /^__metadata:/m.test((await nearest(files, folder, 'yarn.lock')) ?? '');
}

/**
 * Reads the beginning of the file with this name in the folder or the nearest parent that contains it. Returns null if
 * none does.
 */
async function nearest(files: RepoFiles, folder: string, name: string): Promise<string | null> {
  const path = listParents(folder)
    .map((parent) => `/${parent}/${name}`)
    .find((each) => files.has(each));
  return path === undefined ? null : files.readStart(path);
}
