import { parse } from 'smol-toml';
import { formatNumber } from '../../../kernel/output/quantities.js';
import { type GivenSettings, parseJsonc, readFirebase, readRender, readWrangler } from './other-hosts.js';
import { record } from './package-json.js';
import type { RepoFiles } from './repo-files.js';
import { isFolderName, trimmedFolder } from './root-directory.js';

export type HostSettings = {
  /** Path of the settings file, relative to the repository. */
  readonly file: string;
  readonly installCommand: string | null;
  readonly buildCommand: string | null;
  /** Output folder, relative to the root directory. */
  readonly outputDirectory: string | null;
  readonly nodeVersion: string | null;
  readonly warnings: readonly string[];
};

const NETLIFY = 'netlify.toml';
const VERCEL = 'vercel.json';

const MAX_COMMAND_CHARACTERS = 1_000;

export async function hostSettings(files: RepoFiles, folder: string): Promise<HostSettings | null> {
  if (files.has(`/${folder}/${NETLIFY}`)) return ofNetlify(files, folder);
  if (files.has(`/${folder}/${VERCEL}`)) return ofVercel(files, folder);
  // The settings file in the repository's root may name this folder as the one to build.
  if (folder !== '.' && (await baseFolder(files)) === folder) return ofNetlify(files, '.');
  for (const [file, parsed, language] of OTHERS) {
    const found = files.has(`/${folder}/${file}`) ? await ofOther(files, folder, file, parsed, language) : null;
    if (found !== null) return found;
  }
  return null;
}

const OTHERS: readonly (readonly [file: string, parsed: (text: string) => GivenSettings | null, language: string])[] = [
  ['firebase.json', readFirebase, 'JSON'],
  ['render.yaml', readRender, 'YAML'],
  ['wrangler.jsonc', (text) => readWrangler(record(parseJsonc(text))), 'JSON'],
  ['wrangler.json', (text) => readWrangler(record(parseJsonc(text))), 'JSON'],
  ['wrangler.toml', (text) => readWrangler(record(parse(text))), 'TOML'],
];

async function ofOther(
  files: RepoFiles,
  folder: string,
  file: string,
  parsed: (text: string) => GivenSettings | null,
  language: string,
): Promise<HostSettings | null> {
  let given: GivenSettings | null;
  try {
    given = parsed(await files.readFile(`/${folder}/${file}`));
  } catch {
    return unreadable(file, language);
  }
  if (given === null) return null;
  return settings(file, {
    installCommand: null,
    buildCommand: text(given.buildCommand),
    outputDirectory: text(given.outputDirectory),
    nodeVersion: null,
    warnings: given.ignored.flatMap(([from, names, instead]) => ignored(from, names, file, instead)),
  });
}

/** Returns the folder set in the repository's `netlify.toml`, or null if none is set. */
export async function baseFolder(files: RepoFiles): Promise<string | null> {
  if (!files.has(`/${NETLIFY}`)) return null;
  const base = trimmedFolder(text(record((await read(files, `/${NETLIFY}`, parse))?.build).base) ?? '.');
  return base !== '.' && isFolderName(base) && files.isFolder(`/${base}`) ? base : null;
}

async function ofNetlify(files: RepoFiles, folder: string): Promise<HostSettings> {
  const given = await read(files, `/${folder}/${NETLIFY}`, parse);
  if (!given) return unreadable(NETLIFY, 'TOML');
  const build = record(given.build);
  const context = record(record(given.context).production);
  const environment = { ...record(build.environment), ...record(context.environment) };
  return settings(NETLIFY, {
    installCommand: null,
    buildCommand: text(context.command) ?? text(build.command),
    outputDirectory: text(context.publish) ?? text(build.publish),
    nodeVersion: text(environment.NODE_VERSION),
    warnings: [
      ...ignored(given, ['redirects'], NETLIFY, 'put them in a _redirects file'),
      ...ignored(given, ['headers'], NETLIFY, 'put them in a _headers file'),
      ...ignored(given, ['functions', 'edge_functions', 'plugins'], NETLIFY, 'they cannot run here'),
    ],
  });
}

async function ofVercel(files: RepoFiles, folder: string): Promise<HostSettings> {
  const given = await read(files, `/${folder}/${VERCEL}`, JSON.parse);
  if (!given) return unreadable(VERCEL, 'JSON');
  const outputDirectory = text(given.outputDirectory);
  return settings(VERCEL, {
    installCommand: text(given.installCommand),
    buildCommand: text(given.buildCommand),
    // The build of Next.js writes a server to `.next`, not pages.
    outputDirectory: outputDirectory !== null && /(?:^|\/)\.next\/?$/.test(outputDirectory) ? null : outputDirectory,
    nodeVersion: null,
    warnings: [
      ...ignored(given, ['redirects', 'rewrites', 'routes'], VERCEL, 'put them in a _redirects file'),
      ...ignored(given, ['headers'], VERCEL, 'put them in a _headers file'),
      ...ignored(given, ['functions', 'crons'], VERCEL, 'they cannot run here'),
    ],
  });
}

/** Returns the settings that a plan can express, and warnings about the others. */
function settings(file: string, given: Omit<HostSettings, 'file'>): HostSettings {
  const { installCommand, buildCommand, warnings } = given;
  const outputDirectory = given.outputDirectory && trimmedFolder(given.outputDirectory);
  const isOutside = outputDirectory !== null && !isFolderName(outputDirectory);
  const isLong = [installCommand, buildCommand].some((command) => command !== null && !isLine(command));
  return {
    file,
    installCommand: installCommand && isLine(installCommand) ? installCommand : null,
    buildCommand: buildCommand && isLine(buildCommand) ? buildCommand : null,
    outputDirectory: isOutside ? null : outputDirectory,
    nodeVersion: given.nodeVersion,
    warnings: [
      ...warnings,
      ...(isOutside
        ? [`The publish folder in ${file} is ignored because it is not a valid path inside the repository.`]
        : []),
      ...(isLong
        ? [
            `A command in ${file} is ignored because it is not a single line of at most ${formatNumber(MAX_COMMAND_CHARACTERS)} characters.`,
          ]
        : []),
    ],
  };
}

const unreadable = (file: string, language: string): HostSettings => ({
  file,
  installCommand: null,
  buildCommand: null,
  outputDirectory: null,
  nodeVersion: null,
  warnings: [`Could not read ${file}: it is not valid ${language} or is larger than 1 MiB.`],
});

async function read(files: RepoFiles, path: string, parsed: (source: string) => unknown) {
  try {
    return record(parsed(await files.readFile(path)));
  } catch {
    return null;
  }
}

const isLine = (command: string) => command.length <= MAX_COMMAND_CHARACTERS && !/\p{Control}/u.test(command);

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const ignored = (given: Record<string, unknown>, names: readonly string[], file: string, instead: string) =>
  names
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => `${file} has ${name}, which are ignored: ${instead}.`);
