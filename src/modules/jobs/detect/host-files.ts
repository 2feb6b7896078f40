import { parse } from 'smol-toml';
import { record } from './package-json.js';
import type { RepoFiles } from './repo-files.js';

/** How a project tells another host to build it. */
export type HostSettings = {
  /** The file, for evidence. */
  readonly file: string;
  readonly installCommand: string | null;
  readonly buildCommand: string | null;
  /** Relative to the root directory. */
  readonly outputDirectory: string | null;
  readonly nodeVersion: string | null;
  /** What the file says that is not followed here. */
  readonly warnings: readonly string[];
};

/** What `netlify.toml` or `vercel.json` in a folder says; null where neither is there, or it cannot be read. */
export async function hostSettings(files: RepoFiles, folder: string): Promise<HostSettings | null> {
  return (await ofNetlify(files, folder)) ?? (await ofVercel(files, folder));
}

async function ofNetlify(files: RepoFiles, folder: string): Promise<HostSettings | null> {
  const file = 'netlify.toml';
  const given = await read(files, `/${folder}/${file}`, parse);
  if (!given) return null;
  const build = record(given.build);
  const context = record(record(given.context).production);
  const environment = { ...record(build.environment), ...record(context.environment) };
  return {
    file,
    installCommand: null,
    buildCommand: text(context.command) ?? text(build.command),
    outputDirectory: text(context.publish) ?? text(build.publish),
    nodeVersion: text(environment.NODE_VERSION),
    warnings: [
      ...ignored(given, ['redirects'], file, 'write them into a file _redirects'),
      ...ignored(given, ['headers'], file, 'write them into a file _headers'),
      ...ignored(given, ['functions', 'edge_functions', 'plugins'], file, 'they do not run here'),
    ],
  };
}

async function ofVercel(files: RepoFiles, folder: string): Promise<HostSettings | null> {
  const file = 'vercel.json';
  const given = await read(files, `/${folder}/${file}`, JSON.parse);
  if (!given) return null;
  return {
    file,
    installCommand: text(given.installCommand),
    buildCommand: text(given.buildCommand),
    outputDirectory: text(given.outputDirectory),
    nodeVersion: null,
    warnings: [
      ...ignored(given, ['redirects', 'rewrites', 'routes'], file, 'write them into a file _redirects'),
      ...ignored(given, ['headers'], file, 'write them into a file _headers'),
      ...ignored(given, ['functions', 'crons'], file, 'they do not run here'),
    ],
  };
}

async function read(files: RepoFiles, path: string, parsed: (source: string) => unknown) {
  if (!files.has(path)) return null;
  try {
    return record(parsed(await files.readFile(path)));
  } catch {
    return null;
  }
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const ignored = (given: Record<string, unknown>, names: readonly string[], file: string, instead: string) =>
  names
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => `${file} has ${name}, which are not followed: ${instead}.`);
