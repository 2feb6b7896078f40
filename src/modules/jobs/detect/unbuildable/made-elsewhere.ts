import { refuse } from '../../../../kernel/refusal.js';
import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';
import { generatorNotHad } from './other-generators.js';
import { serverNeeded } from './server-rendered.js';

/** Refuses what is made by a program that no builder here has, and what runs as a server, with what to change. */
export async function expectMadeHere(project: Package | null, files: RepoFiles, root: string): Promise<void> {
  const other = await generatorNotHad(project, files, root);
  if (other)
    refuse(
      'plan_not_detected',
      `${other.file} says that it is made with ${other.name}, which builds here do not have: they have Node. Build it elsewhere and deploy the folder.`,
    );
  const why = project && (await serverNeeded(project, files, root));
  if (why) refuse('plan_not_detected', why);
}

/** Whether a folder is a workspace of Nx and no project itself: it builds its projects by name, out of its root. */
export function isNxWorkspace(files: RepoFiles, root: string): boolean {
  const has = (name: string) => files.has(`/${root}/${name}`);
  if (!has('nx.json') || ['index.html', 'src/index.html', 'public/index.html'].some(has)) return false;
  return !['app', 'pages', 'src/app', 'src/pages'].some((name) => files.isFolder(`/${root}/${name}`));
}

export const NX =
  'nx.json is of a workspace of many projects. Say which one is the site: plan.kind “static_build”, plan.buildCommand “npx nx build NAME” and plan.outputDirectory “dist/apps/NAME”.';
