import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** An engine whose builds have been verified to have no network, and resources for builds of this process. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Null if the engine does not put commands into the control groups of this process. */
  readonly groups: ControlGroupTree | null;
  /** Folder in which it keeps its images. */
  readonly disk: string;
};
