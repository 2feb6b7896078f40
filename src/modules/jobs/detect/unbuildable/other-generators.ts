import { HUGO_PACKAGES } from '../framework.js';
import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';

type Generator = {
  readonly name: string;
  /** Files that identify the generator. Each of its projects has at least one of them. */
  readonly files: readonly string[];
  /** A folder that the project must also contain, because `files` alone do not identify the generator. */
  readonly folder?: string;
  /** npm packages that make the generator available to builds. */
  readonly packages?: readonly string[];
  /**
   * A file that indicates the generator even if the project has a build script. Without such a file, the build script
   * takes precedence.
   */
  readonly besideBuild?: string;
};

/** Generators written in languages other than JavaScript: Ruby, Go, Rust and Python. */
const GENERATORS: readonly Generator[] = [
  { name: 'Jekyll', files: ['_config.yml', '_config.yaml'], packages: ['hexo'], besideBuild: 'Gemfile' },
  {
    name: 'Hugo',
    files: [
      'hugo.toml',
      'hugo.yaml',
      'hugo.yml',
      'hugo.json',
      'config/_default/hugo.toml',
      'config/_default/config.toml',
    ],
    packages: HUGO_PACKAGES,
  },
  { name: 'Zola', files: ['zola.toml'] },
  { name: 'Middleman', files: ['config.rb'], folder: 'source' },
  { name: 'Nanoc', files: ['nanoc.yaml'] },
  { name: 'MkDocs', files: ['mkdocs.yml', 'mkdocs.yaml'], besideBuild: 'requirements.txt' },
  { name: 'Pelican', files: ['pelicanconf.py'] },
  { name: 'mdBook', files: ['book.toml'], folder: 'src', besideBuild: 'src/SUMMARY.md' },
];

/** Generators that often accompany another site or program. They are reported only if nothing else is found. */
const OF_DOCUMENTATION: readonly Generator[] = [
  {
    name: 'Sphinx',
    files: ['', 'docs/', 'doc/', 'docs/source/', 'doc/source/', 'source/'].map((folder) => `${folder}conf.py`),
  },
  { name: 'Jupyter Book', files: ['_toc.yml', 'myst.yml', 'docs/_toc.yml', 'book/_toc.yml'] },
  { name: 'Quarto', files: ['_quarto.yml', '_quarto.yaml', 'docs/_quarto.yml'] },
];

export type OtherGenerator = { readonly name: string; readonly file: string };

export function findDocumentation(files: RepoFiles, folder: string): OtherGenerator | null {
  for (const { name, files: names } of OF_DOCUMENTATION) {
    const file = names.find((path) => files.has(`/${folder}/${path}`));
    if (file !== undefined) return { name, file };
  }
  return null;
}

/** Returns the site generator that the project uses if it is not available to builds; otherwise null. */
export async function generatorNotHad(
  project: Package | null,
  files: RepoFiles,
  folder: string,
  hasHugo: boolean,
): Promise<OtherGenerator | null> {
  const has = (path: string) => files.has(`/${folder}/${path}`);
  for (const { name, files: names, folder: needed, packages = [], besideBuild } of GENERATORS) {
    const file = names.find(has);
    if (file === undefined || (needed !== undefined && !files.isFolder(`/${folder}/${needed}`))) continue;
    if (project?.scripts.build !== undefined && besideBuild !== undefined && !has(besideBuild)) continue;
    if (hasHugo && name === 'Hugo') return null;
    if (!packages.some((each) => project?.dependencies.has(each))) return { name, file };
  }
  const found = has('config.toml') ? await ofConfigToml(files, folder) : null;
  return hasHugo && found?.name === 'Hugo' ? null : found;
}

/** Hugo and Zola both have a config.toml: Zola’s contains `base_url`, Hugo’s `baseURL`. */
async function ofConfigToml(files: RepoFiles, folder: string) {
  if (!files.isFolder(`/${folder}/content`)) return null;
  const text = await files.readFile(`/${folder}/config.toml`).catch(() => '');
  const file = 'config.toml';
  if (/^base_url\s*=/m.test(text)) return { name: 'Zola', file };
  return /^(?:baseURL|baseurl|languageCode|theme)\s*=/m.test(text) ? { name: 'Hugo', file } : null;
}
