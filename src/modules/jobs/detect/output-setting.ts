import { posix } from 'node:path';
import { listConfigs, readFirst } from './config-files.js';
import type { Package } from './package-json.js';
import type { RepoFiles } from './repo-files.js';
import { isFolderName, trimmedFolder } from './root-directory.js';

type Setting = {
  /** Possible settings files of the generator, relative to the project. */
  readonly files: readonly string[];
  /** Matches the setting if its value is plain text, and captures the output folder. */
  readonly output: RegExp;
  /** Matches the setting of the base folder, to which the output folder is relative. Captures the base folder. */
  readonly base?: RegExp;
  /** Default output folder, relative to the folder that `base` captures. */
  readonly usual?: string;
};

/** Matches `outDir` if its value is a string, or a string that is resolved against the folder of the settings file. */
const OUT_DIR =
  /\boutDir\s{0,20}:\s{0,20}(?:(?:path\.)?(?:resolve|join)\(\s{0,20}__dirname,\s{0,20})?['"`]([^'"`$\n]{1,200})['"`]/;

/** Settings that name the output folder, by the ID of the generator. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  vite: {
    files: listConfigs('vite'),
    output: OUT_DIR,
    base: /\broot\s{0,20}:\s{0,20}(?:(?:path\.)?(?:resolve|join)\(\s{0,20}__dirname,\s{0,20})?['"`]([^'"`$\n]{1,200})['"`]/,
    usual: 'dist',
  },
  astro: { files: listConfigs('astro'), output: OUT_DIR },
  'svelte-kit': {
    files: listConfigs('svelte'),
    output:
      /\bpages\s{0,20}:\s{0,20}(?:(?:path\.)?(?:resolve|join)\(\s{0,20}__dirname,\s{0,20})?['"`]([^'"`$\n]{1,200})['"`]/,
  },
  eleventy: {
    files: ['.eleventy.js', ...listConfigs('eleventy')],
    output: /\boutput\s{0,20}:\s{0,20}['"]([^'"\n]{1,200})['"]|\bsetOutputDirectory\(\s{0,20}['"]([^'"\n]{1,200})['"]/,
  },
  vue: {
    files: listConfigs('vue'),
    output:
      /\boutputDir\s{0,20}:\s{0,20}(?:(?:path\.)?(?:resolve|join)\(\s{0,20}__dirname,\s{0,20})?['"`]([^'"`$\n]{1,200})['"`]/,
  },
  hexo: { files: ['_config.yml'], output: /^public_dir:[ \t]{1,20}['"]?([^\s'"#]{1,200})/m },
  next: {
    files: listConfigs('next'),
    output:
      /\bdistDir\s{0,20}:\s{0,20}(?:(?:path\.)?(?:resolve|join)\(\s{0,20}__dirname,\s{0,20})?['"`]([^'"`$\n]{1,200})['"`]/,
  },
};

/**
 * Folders that may contain the settings of VitePress. The output folder is relative to the folder that contains them.
 */
const VITEPRESS_FOLDERS = ['.', 'docs', 'src', 'docs/src'];

const VITEPRESS_CONFIGS = ['js', 'mjs', 'ts', 'mts'].map((ending) => `config.${ending}`);

/** Matches the options with which generators set the output folder. */
const OPTION = /\s--(?:outDir|out-dir|dist-dir|output|dest|destination)[= ]["']?([^\s"']{1,200})/;

/**
 * Returns the output folder relative to the project, if the build script or the generator's settings state it as plain
 * text. Returns null if they do not, or if the folder is outside the project.
 */
export async function readOutputSetting(
  { id, buildCommand }: { readonly id: string; readonly buildCommand: string },
  files: RepoFiles,
  root: string,
  project: Package | null,
): Promise<string | null> {
  const option = findOption(project?.scripts.build ?? '', buildCommand.split(' ', 1)[0] ?? '');
  if (option !== undefined) return insideProject(option);
  if (id === 'vitepress') return ofVitePress(files, root);
  const setting = SETTINGS[id];
  if (!setting) return null;
  const text = await readFirst(files, root, setting.files);
  const base = setting.base && firstGroup(setting.base, text);
  // If the folder does not exist, the match comes from the settings of tests or of a plugin, not from those of the
  // build.
  const folder = base && files.isFolder(`/${root}/${base}`) ? base : '.';
  const output = firstGroup(setting.output, text) ?? (folder === '.' ? undefined : setting.usual);
  return output === undefined ? null : insideProject(posix.join(folder, output));
}

/** Searches only the command of the generator, because other commands, such as Tailwind CSS, have similar options. */
function findOption(script: string, tool: string): string | undefined {
  const call = script.split(/&&|[;|]/, 20).find((part) => part.split(/\s+/, 20).some((word) => word.endsWith(tool)));
  return OPTION.exec(call ?? '')?.[1];
}

async function ofVitePress(files: RepoFiles, root: string): Promise<string | null> {
  for (const folder of VITEPRESS_FOLDERS) {
    const text = await readFirst(files, posix.join(root, folder, '.vitepress'), VITEPRESS_CONFIGS);
    const output = firstGroup(OUT_DIR, text);
    if (output !== undefined) return insideProject(posix.join(folder, output));
  }
  return null;
}

/** Returns the first capture group of the match that has a value. */
const firstGroup = (pattern: RegExp, text: string): string | undefined =>
  pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);

function insideProject(path: string): string | null {
  const folder = trimmedFolder(posix.join('.', path));
  return folder !== '.' && isFolderName(folder) && !posix.isAbsolute(path) ? folder : null;
}
