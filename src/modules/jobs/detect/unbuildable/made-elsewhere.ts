import { refuse } from '../../../../kernel/refusal.js';
import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';
import { generatorNotHad } from './other-generators.js';
import { serverNeeded } from './server-rendered.js';

/**
 * Refuses sites of generators that no builder has, and projects that require a server. The refusal says what to change.
 */
export async function assertMadeHere(project: Package | null, files: RepoFiles, root: string): Promise<void> {
  const other = await generatorNotHad(project, files, root);
  if (other)
    refuse(
      'plan_not_detected',
      `${other.file} indicates that the site is built with ${other.name}, which is not available here: builds run on Node. Build the site elsewhere and deploy the resulting folder.`,
    );
  const why = project && (await serverNeeded(project, files, root));
  if (why) refuse('plan_not_detected', why);
}

/**
 * Reports whether the folder is an Nx workspace but not itself a project. Its projects are built by name from its root.
 */
export function isNxWorkspace(files: RepoFiles, root: string): boolean {
  const has = (name: string) => files.has(`/${root}/${name}`);
  if (!has('nx.json') || ['index.html', 'src/index.html', 'public/index.html'].some(has)) return false;
  return !['app', 'pages', 'src/app', 'src/pages'].some((name) => files.isFolder(`/${root}/${name}`));
}

export const NX =
  'nx.json describes a workspace with several projects. Choose the one to deploy: set plan.kind to “static_build”, plan.buildCommand to “npx nx build NAME” and plan.outputDirectory to “dist/apps/NAME”.';
