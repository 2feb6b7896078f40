import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** An engine that has passed the test that its builds have no network access. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Control groups, or null if the engine does not run commands in this process’s control groups. */
  readonly groups: ControlGroupTree | null;
  /** Folder in which the engine keeps its images. */
  readonly disk: string;
};
