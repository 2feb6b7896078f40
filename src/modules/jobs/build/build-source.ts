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
   * Key of the site's owner, or of the network of an anonymous site, whose share of tool downloads this build uses
   * (`SiteShares`).
   */
  readonly share: string;
};
