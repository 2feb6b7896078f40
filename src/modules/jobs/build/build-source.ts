import type { Plan } from '../../../events/repo-source.js';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';
import type { RepoFiles } from '../detect/repo-files.js';
import type { BuildOf } from './environment.js';

export type BuildSource = {
  readonly copy: RepoCopy;
  readonly files: RepoFiles;
  readonly plan: Plan;
  readonly of: BuildOf;
  /** Share of the build tools that the build is charged to (`SiteShares`). */
  readonly share: string;
};
