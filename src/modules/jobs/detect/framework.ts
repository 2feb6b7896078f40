import { Project } from '@netlify/build-info';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import { type Package, record } from './package-json.js';
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

/** Generators that do not run on Node but that the library also detects. */
const NOT_OF_NODE = new Set(['jekyll', 'middleman', 'zola', 'cecil']);

/** Returns null if the project has no known generator. */
export async function detectFramework(
  files: RepoFiles,
  root: string,
  project: Package | null,
): Promise<Framework | null> {
  // The library reads angular.json without validating it.
  if (project?.dependencies.has('@angular/cli')) return angular(files, root);
  const found = await known(files, root);
  if (!found || isOnlyForTests(found.id, files, root, project)) return null;
  const { id, name, build, detected } = found;
  return {
    id,
    name,
    file: detected.config ?? 'package.json',
    buildCommand: build.command,
    outputDirectory: outputOf(id, build.directory, files, root),
  };
}

async function known(files: RepoFiles, root: string) {
  const cwd = files.cwd;
  try {
    const given = new Project(files, files.resolve(`/${root}`), '/');
    given.setReportFn(() => undefined);
    // Only the requested folder is examined, because the folders of a workspace are untrusted patterns.
    given.workspace = null;
    given.buildSystems = [];
    // The library does not validate untrusted files, and throws if they are malformed.
    const frameworks = (await given.detectFrameworks().catch(ignoreFault)) ?? [];
    return frameworks.find(({ id, category }) => String(category) !== 'backend_framework' && !NOT_OF_NODE.has(id));
  } finally {
    files.cwd = cwd;
  }
}

/** Vitest installs Vite, so a project with Vite does not necessarily build its pages with Vite. */
function isOnlyForTests(id: string, files: RepoFiles, root: string, project: Package | null): boolean {
  if (id !== 'vite' || !project || project.scripts.build !== undefined) return false;
  return !['js', 'mjs', 'ts', 'mts'].some((ending) => files.has(`/${root}/vite.config.${ending}`));
}

/** Folders that may contain the VitePress or VuePress folder. */
const ABOVE_PRESS = ['.', 'docs', 'src', 'docs/src'];

function outputOf(id: string, usual: string, files: RepoFiles, root: string): string | null {
  if (id === 'vitepress' || id === 'vuepress') {
    const folder = ABOVE_PRESS.find((each) => files.isFolder(`/${root}/${each}/.${id}`));
    if (folder !== undefined) return folder === '.' ? `.${id}/dist` : `${folder}/.${id}/dist`;
  }
  return usual.includes('<') ? null : usual.replace(/\/$/, '');
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
