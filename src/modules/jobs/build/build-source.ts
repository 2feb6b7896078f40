import type { Plan } from '../../../events/repo-source.js';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { BuildOf } from './environment.js';

/** What is built, of which commit. */
export type BuildSource = {
  readonly copy: RepoCopy;
  readonly files: RepoFiles;
  readonly plan: Plan;
  readonly of: BuildOf;
  /** Whose share of the build tools it counts towards (`SiteShares`). */
  readonly share: string;
};
