import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import type { PlanRequest } from './detected.js';
import type { Detected } from './detection.js';
import type { RepoFiles } from './repo-files.js';

/**
 * The detection code is loaded at its first use, because that takes a tenth of a second and about 20 MB, and most
 * processes never need it. `nodeVersions` are the versions available to builds besides the machine's own; `registries`
 * are the allowed image registries. Refuses with `plan_not_detected`.
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
