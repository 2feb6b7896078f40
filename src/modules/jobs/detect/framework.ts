import { Project } from '@netlify/build-info';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import { listConfigs } from './config-files.js';
import { readOutputSetting } from './output-setting.js';
import { type Package, readDeclared, record } from './package-json.js';
import type { RepoFiles } from './repo-files.js';

export type Framework = {
  readonly id: string;
  readonly name: string;
  /** A file that identifies the framework. */
  readonly file: string;
  readonly buildCommand: string;
  /** Output folder relative to the project, or null if it depends on the project. */
  readonly outputDirectory: string | null;
};

/** Generators that the detection library reports although they do not run on Node. */
const NOT_OF_NODE = new Set(['jekyll', 'middleman', 'zola', 'cecil']);

/** Bundlers, which are used for libraries as well as for sites. */
const BUNDLERS = new Set(['vite', 'parcel', 'grunt', 'gulp', 'brunch', 'rollup']);

type Given = { readonly files: RepoFiles; readonly root: string; readonly project: Package | null };
type Found = Framework & { readonly isBundler: boolean };

/**
 * Returns the project's generator, or null if none is known. A configuration file is not sufficient, because several
 * tools use the same file names: the project or its workspace must depend on the generator. `hasHugo` says whether
 * builds can run Hugo.
 */
export async function detectFramework(
  files: RepoFiles,
  root: string,
  project: Package | null,
  hasHugo = false,
): Promise<Framework | null> {
  // Read angular.json here, because the detection library does not validate it.
  if (project?.dependencies.has('@angular/cli')) return angular(files, root);
  const framework = await chooseFramework({ files, root, project }, hasHugo);
  if (!framework) return null;
  const outputDirectory = await readOutputSetting(framework, files, root, project);
  return outputDirectory === null ? framework : { ...framework, outputDirectory };
}

async function chooseFramework(given: Given, hasHugo: boolean): Promise<Framework | null> {
  const { files, root, project } = given;
  const found = await known(given, hasHugo);
  const storybook = await storybookOf(given);
  const [first = null] = found;
  // The app in the repository of an Ember addon is only for testing the addon.
  if (first?.id === 'ember' && storybook && files.isFolder(`/${root}/tests/dummy`)) return storybook;
  if (first && !first.isBundler) return first;
  // A project with a bundler but no page is a library, so its only pages are those of its documentation.
  const pages = found.find(({ isBundler }) => !isBundler) ?? storybook;
  if (pages && !hasPage(given)) return pages;
  return first && isOnlyForTests(first.id, files, root, project) ? null : (first ?? storybook);
}

async function known({ files, root, project }: Given, hasHugo: boolean): Promise<readonly Found[]> {
  const cwd = files.cwd;
  const declared = await readDeclared(files, root);
  try {
    const given = new Project(files, files.resolve(`/${root}`), '/');
    given.setReportFn(() => undefined);
    // Let the detection library examine only the requested folder. Otherwise it would also follow the workspace's
    // folder patterns, which are untrusted.
    given.workspace = null;
    given.buildSystems = [];
    // The detection library does not validate untrusted files, and throws if they are malformed.
    const frameworks = (await given.detectFrameworks().catch(ignoreFault)) ?? [];
    const found = frameworks.filter(({ id, category, npmDependencies }) => {
      if (String(category) === 'backend_framework' || NOT_OF_NODE.has(id)) return false;
      if (id === 'hugo') return hasHugo || HUGO_PACKAGES.some((name) => declared.has(name));
      return npmDependencies.some((name) => declared.has(name));
    });
    const all = found.map(({ id, name, build, detected }) => ({
      id,
      name,
      file: detected.config ?? 'package.json',
      buildCommand: commandOf(id, build.command, files, root),
      outputDirectory: outputOf(id, build.directory, files, root),
      isBundler: BUNDLERS.has(id),
    }));
    // The detection library reports other frameworks that share a configuration file with Vite, even if nothing depends
    // on them.
    const hasVite = all.length > 0 || !declared.has('vite') || !hasConfig('vite', files, root);
    return hasVite ? all : [{ ...VITE, file: project ? 'package.json' : 'vite.config', isBundler: true }];
  } finally {
    files.cwd = cwd;
  }
}

const VITE = { id: 'vite', name: 'Vite', buildCommand: 'vite build', outputDirectory: 'dist' } as const;

export const HUGO_PACKAGES = ['hugo-extended', 'hugo-bin'] as const;

/** Detects Storybook (storybook.js.org, “Publish Storybook”), which the detection library does not support. */
async function storybookOf({ files, root }: Given): Promise<Framework | null> {
  if (!files.isFolder(`/${root}/.storybook`)) return null;
  const declared = await readDeclared(files, root);
  if (!declared.has('storybook') && ![...declared].some((name) => name.startsWith('@storybook/'))) return null;
  const isNew = declared.has('storybook');
  return {
    id: 'storybook',
    name: 'Storybook',
    file: 'package.json',
    buildCommand: isNew ? 'storybook build' : 'build-storybook',
    outputDirectory: 'storybook-static',
  };
}

/** Reports whether a project has a page that can be a bundler’s entry point. */
const hasPage = ({ files, root }: Given) =>
  ['', 'src/', 'public/', 'app/', 'client/', 'web/'].some((folder) => files.has(`/${root}/${folder}index.html`));

const hasConfig = (name: string, files: RepoFiles, root: string) =>
  listConfigs(name).some((file) => files.has(`/${root}/${file}`));

const SOURCES = ['app', 'pages', 'src/app', 'src/pages', 'src/routes', '.vitepress', 'docs/.vitepress', '.vuepress'];

/**
 * Reports whether a folder has sources or settings of its own site. A workspace root often only declares the framework
 * of its packages.
 */
export function hasOwnSources(files: RepoFiles, root: string): boolean {
  const isSettings = (name: string) =>
    /^(?:astro|next|nuxt|gatsby|svelte|docusaurus|vue|react-router|remix|gridsome|\.?eleventy)[.-]?config\.|^\.eleventy\.|^angular\.json$/.test(
      name,
    );
  return (
    hasPage({ files, root, project: null }) ||
    SOURCES.some((folder) => files.isFolder(`/${root}/${folder}`)) ||
    files.listNames(`/${root}`).some(isSettings)
  );
}

/** Vitest installs Vite, so a project with Vite does not necessarily build its pages with Vite. */
function isOnlyForTests(id: string, files: RepoFiles, root: string, project: Package | null): boolean {
  if (id !== 'vite' || !project || project.scripts.build !== undefined) return false;
  return !['js', 'mjs', 'ts', 'mts'].some((ending) => files.has(`/${root}/vite.config.${ending}`));
}

/** Folders that may contain the folder `.vitepress` or `.vuepress`. */
const ABOVE_PRESS = ['.', 'docs', 'src', 'docs/src'];

const findPressFolder = (id: string, files: RepoFiles, root: string) =>
  id === 'vitepress' || id === 'vuepress'
    ? ABOVE_PRESS.find((each) => files.isFolder(`/${root}/${each}/.${id}`))
    : undefined;

function outputOf(id: string, usual: string, files: RepoFiles, root: string): string | null {
  const folder = findPressFolder(id, files, root);
  if (folder !== undefined) return folder === '.' ? `.${id}/dist` : `${folder}/.${id}/dist`;
  return usual.includes('<') ? null : usual.replace(/\/$/, '');
}

/** Replaces the library's build command for VitePress and VuePress, which always names the folder `docs`. */
function commandOf(id: string, usual: string, files: RepoFiles, root: string): string {
  const folder = findPressFolder(id, files, root);
  if (folder === undefined) return usual;
  return folder === '.' ? `${id} build` : `${id} build ${folder}`;
}

const angular = async (files: RepoFiles, root: string): Promise<Framework> => ({
  id: 'angular',
  name: 'Angular',
  file: 'package.json',
  buildCommand: 'ng build',
  outputDirectory: (await ofAngular(files, root)) ?? 'dist',
});

/** Reads angular.json (angular.dev, "Workspace configuration"). Returns null if it does not set the output folder. */
async function ofAngular(files: RepoFiles, root: string): Promise<string | null> {
  try {
    const { projects, defaultProject } = record(JSON.parse(await files.readFile(`/${root}/angular.json`)));
    const all = record(projects);
    const name = typeof defaultProject === 'string' ? defaultProject : (Object.keys(all)[0] ?? '');
    const project = record(all[name]);
    const build = record(record(project.architect ?? project.targets).build);
    const { outputPath } = record(build.options);
    const { base, browser } = record(outputPath);
    const isOfNow = String(build.builder).endsWith(':application');
    const folder = outputPath ?? (isOfNow ? `dist/${name}` : 'dist');
    if (typeof folder === 'string') return isOfNow ? `${folder}/browser` : folder;
    if (typeof base !== 'string') return null;
    return browser === '' ? base : `${base}/${typeof browser === 'string' ? browser : 'browser'}`;
  } catch {
    return null;
  }
}
