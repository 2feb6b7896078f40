import type { Plan } from '../../../events/repo-source.js';
import type { RepoFiles } from './repo-files.js';

/** A folder of a repository that can be deployed as a separate site. */
export type Candidate = {
  readonly rootDirectory: string;
  readonly framework: string | null;
  readonly kind: Plan['kind'];
  readonly plan: Plan;
};

/** Returns the plan for a folder, or null if the folder can't be deployed. */
export type PlanOf = (rootDirectory: string) => Promise<Plan | null>;

const MAX_CANDIDATES = 20;
/** Maximum number of folders to examine. Examining one takes up to 30 ms. */
const MAX_LOOKED_AT = 60;
const DEEPEST = 3;

const SITE_FILE = /^(.+)\/(?:package\.json|Dockerfile|Containerfile|index\.html)$/;
/** Folders whose pages belong to another project or are only for tests. */
const NOT_SITES =
  /(?:^|\/)(?:node_modules|vendor|third_party|tests?|__tests__|fixtures?|testdata|coverage|templates?|\.[^/]*)(?:\/|$)/i;

/**
 * Returns the deployable folders below the root, with their plans. A folder without package.json inside an examined
 * folder is treated as part of that folder.
 */
export async function findCandidates(files: RepoFiles, planOf: PlanOf): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  const examined: string[] = [];
  for (const rootDirectory of listFolders(files)) {
    if (examined.length === MAX_LOOKED_AT || found.length === MAX_CANDIDATES) break;
    const isProject = files.has(`/${rootDirectory}/package.json`);
    if (!isProject && examined.some((folder) => rootDirectory.startsWith(`${folder}/`))) continue;
    examined.push(rootDirectory);
    const plan = await planOf(rootDirectory);
    if (plan !== null) found.push({ rootDirectory, framework: plan.framework, kind: plan.kind, plan });
  }
  return found;
}

function listFolders(files: RepoFiles): readonly string[] {
  const folders = new Set<string>();
  for (const { path, kind } of files.entries) {
    const [, folder] = (kind === 'file' && SITE_FILE.exec(path ?? '')) || [];
    if (folder !== undefined && folder.split('/').length <= DEEPEST && !NOT_SITES.test(folder)) folders.add(folder);
  }
  return [...folders].sort();
}
