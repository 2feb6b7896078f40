import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { BuildContext, PlanRequest } from './detected.js';
import type { Detected } from './detection.js';
import type { RepoFiles } from './repo-files.js';

/**
 * Detects how to build a site from the files of a commit. The detection code is loaded on first use, because loading
 * takes a tenth of a second and about 20 MB, and most processes never need it. Refuses with `plan_not_detected`.
 */
export async function detect(
  copy: RepoCopy,
  request: PlanRequest,
  context: BuildContext,
): Promise<Detected & { readonly files: RepoFiles }> {
  const [{ detected }, { RepoFiles }] = await Promise.all([import('./detected.js'), import('./repo-files.js')]);
  const files = await RepoFiles.of(copy);
  return { ...(await detected(files, request, context)), files };
}
