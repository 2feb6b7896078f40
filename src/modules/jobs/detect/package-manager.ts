import type { Plan } from '../../../events/repo-source.js';
import type { BuildTool } from '../../../kernel/ports/builder.js';
import type { RepoFiles } from './repo-files.js';

type Manager = Exclude<BuildTool['name'], 'node'>;

/** The versions that are taken where a project pins none, by what its lock file is written in. */
const USUAL = {
  pnpm: { '5': '7.33.7', '6': '8.15.9', '9': '10.34.8' },
  yarn: { first: '1.22.22', berry: '4.18.1' },
  bun: '1.4.5',
} as const;

const MANAGERS: readonly string[] = ['npm', 'pnpm', 'yarn', 'bun'] satisfies readonly Manager[];
const EXACT = /^\d{1,4}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/;

/**
 * The package manager of a plan, as a tool to be fetched; null for the machine’s own npm. `packageManager` of a plan is
 * its name, or name and version as package.json has it: `pnpm@10.34.8`.
 */
export async function packageManagerOf(files: RepoFiles, { packageManager, rootDirectory }: Plan): Promise<BuildTool | null> {
  const [name = '', version = ''] = packageManager?.split('@') ?? [];
  if (!isManager(name)) return null;
  if (EXACT.test(version)) return { name, version };
  if (name === 'npm') return null;
  if (name === 'bun') return { name, version: USUAL.bun };
  if (name === 'yarn') return { name, version: USUAL.yarn[(await isBerry(files, rootDirectory)) ? 'berry' : 'first'] };
  const lock = await nearest(files, rootDirectory, 'pnpm-lock.yaml');
  const [, format = '9'] = /^lockfileVersion: ['"]?(\d)/m.exec(lock ?? '') ?? [];
  return { name, version: USUAL.pnpm[format as keyof typeof USUAL.pnpm] ?? USUAL.pnpm['9'] };
}

const isManager = (name: string): name is Manager => MANAGERS.includes(name);

/** Whether a lock file is one of Yarn 2 or later. */
export async function isBerry(files: RepoFiles, folder: string): Promise<boolean> {
  return /^__metadata:/m.test((await nearest(files, folder, 'yarn.lock')) ?? '');
}

/** The text of the file of that name in a folder, or in the nearest one above it; null where there is none. */
async function nearest(files: RepoFiles, folder: string, name: string): Promise<string | null> {
  const segments = folder === '.' ? [] : folder.split('/');
  for (let depth = segments.length; depth >= 0; depth--) {
    const path = `/${[...segments.slice(0, depth), name].join('/')}`;
    if (files.has(path)) return files.readStart(path);
  }
  return null;
}
