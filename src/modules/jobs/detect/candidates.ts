import type { Plan } from '../../../events/repo-source.js';
import type { RepoFiles } from './repo-files.js';

/** A folder of the repository that can be deployed as a site of its own. */
export type Candidate = {
  readonly rootDirectory: string;
  readonly framework: string | null;
  readonly kind: Plan['kind'];
  /** The plan that a request with this root directory would follow. */
  readonly plan: Plan;
};

/** Detects the plan of a folder; null if it cannot be deployed. */
export type PlanOf = (rootDirectory: string) => Promise<Plan | null>;

/** Maximum number of candidates that a caller can choose from. */
const MAX_CANDIDATES = 20;
/** Maximum number of folders whose plan is detected, which takes up to 30 ms for each. */
const MAX_LOOKED_AT = 60;
const DEEPEST = 3;

/** Files of which a site’s folder has at least one. */
const SITE_FILE = /^(.+)\/(?:package\.json|Dockerfile|Containerfile|index\.html)$/;
/** Folders whose pages are part of another project, or only there to be tested. */
const NOT_SITES =
  /(?:^|\/)(?:node_modules|vendor|third_party|tests?|__tests__|fixtures?|testdata|coverage|templates?|\.[^/]*)(?:\/|$)/i;

/**
 * Returns the folders below the root that can be deployed, with the plan of each. Folders inside a folder that was
 * examined are part of it, unless it is only the root of packages.
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
