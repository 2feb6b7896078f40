import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import type { PlanRequest } from './detected.js';
import type { Detected } from './detection.js';
import type { RepoFiles } from './repo-files.js';

/**
 * The files of a commit, and how they become a site. What knows of builds is loaded with the first repository: it takes
 * a tenth of a second and some 20 MB, and most processes never look at one. `nodeVersions` are those that builds have
 * beside our own, `registries` where images may come from. Refuses with `plan_not_detected`.
 */
export async function detect(
  copy: RepoCopy,
  request: PlanRequest,
  { nodeVersions, registries }: Pick<BuildSettings, 'nodeVersions' | 'registries'>,
): Promise<Detected & { readonly files: RepoFiles }> {
  const [{ detected }, { RepoFiles }] = await Promise.all([import('./detected.js'), import('./repo-files.js')]);
  const files = await RepoFiles.of(copy);
  return { ...(await detected(files, request, nodeVersions, registries)), files };
}
