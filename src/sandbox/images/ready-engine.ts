import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** An engine whose builds have been shown to have no network access, and the resources for builds of this process. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Null if the engine does not put commands into this process’s control groups. */
  readonly groups: ControlGroupTree | null;
  /** Folder in which the engine keeps its images. */
  readonly disk: string;
};
