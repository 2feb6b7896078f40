import type { Plan } from '../../../events/repo-source.js';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { BuildOf } from './environment.js';

export type BuildSource = {
  readonly copy: RepoCopy;
  readonly files: RepoFiles;
  readonly plan: Plan;
  readonly of: BuildOf;
  /**
   * Key that identifies the site's owner, or the network of an anonymous site (`SiteShares`). Limits on stored build
   * tools apply per key.
   */
  readonly share: string;
};
