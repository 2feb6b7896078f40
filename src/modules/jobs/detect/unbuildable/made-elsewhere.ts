import { refuse } from '../../../../kernel/refusal.js';
import { HUGO_PACKAGES } from '../framework.js';
import type { Package } from '../package-json.js';
import type { RepoFiles } from '../repo-files.js';
import { generatorNotHad, type OtherGenerator } from './other-generators.js';
import { serverNeeded } from './server-rendered.js';

export type Generators = {
  readonly hasHugo: boolean;
  /** Hosts that builds can connect to, or null for the default list. */
  readonly hosts: readonly string[] | null;
};

/**
 * Refuses sites whose generator is not available to builds, and projects that require a server. The refusal says what
 * to change.
 */
export async function assertMadeHere(
  project: Package | null,
  files: RepoFiles,
  root: string,
  { hasHugo, hosts }: Generators,
): Promise<void> {
  const other = await generatorNotHad(project, files, root, hasHugo);
  if (other) refuse('plan_not_detected', describeOther(other));
  const hugo = HUGO_PACKAGES.find((name) => project?.dependencies.has(name));
  if (hugo && !hasHugo && !hosts?.includes('github.com'))
    refuse(
      'plan_not_detected',
      `${hugo} downloads Hugo from github.com, which builds here cannot reach. Build the site elsewhere and deploy the resulting folder, or ask the operator to provide Hugo (STELE_HUGO).`,
    );
  const why = project && (await serverNeeded(project, files, root));
  if (why) refuse('plan_not_detected', why);
}

export const describeOther = ({ file, name }: OtherGenerator) =>
  `${file} indicates that the site is built with ${name}, which is not available here: builds run on Node. Build the site elsewhere, such as in CI, and deploy the resulting folder${name === 'Hugo' ? ', or ask the operator to provide Hugo (STELE_HUGO)' : ', or add a Dockerfile that serves it'}.`;

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
