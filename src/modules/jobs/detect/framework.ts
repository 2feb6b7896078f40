import { Project } from '@netlify/build-info';
import { doneWithout } from '../../../kernel/faults/ignored-fault.js';
import { type Package, record } from './package-json.js';
import type { RepoFiles } from './repo-files.js';

export type Framework = {
  readonly id: string;
  readonly name: string;
  /** The file that says so. */
  readonly file: string;
  readonly buildCommand: string;
  /** Where its pages are after a build, relative to the project; null where that depends on the project. */
  readonly outputDirectory: string | null;
};

/** Programs of Ruby and others, which the library knows too. */
const NOT_OF_NODE = new Set(['jekyll', 'middleman', 'zola', 'cecil']);

/** The generator that a project is made with, by what it depends on and by its files; null where none is known. */
export async function frameworkOf(files: RepoFiles, root: string, project: Package | null): Promise<Framework | null> {
  // The library takes its angular.json at its word.
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
    // The folder that was asked for is looked at, and no other: what a workspace lists are patterns of a stranger’s.
    given.workspace = null;
    given.buildSystems = [];
    // The library takes what a stranger wrote for what it should be, and throws where it is not.
    const frameworks = (await given.detectFrameworks().catch(doneWithout)) ?? [];
    return frameworks.find(({ id, category }) => String(category) !== 'backend_framework' && !NOT_OF_NODE.has(id));
  } finally {
    files.cwd = cwd;
  }
}

/** Vite comes along with Vitest: a plain page whose tests need it is not built by it. */
function isOnlyForTests(id: string, files: RepoFiles, root: string, project: Package | null): boolean {
  if (id !== 'vite' || !project || project.scripts.build !== undefined) return false;
  return !['js', 'mjs', 'ts', 'mts'].some((ending) => files.has(`/${root}/vite.config.${ending}`));
}

/** Where VitePress and VuePress may have their folder, in a project. */
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

/** By angular.json (angular.dev, “Workspace configuration”); null where it does not say. */
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
