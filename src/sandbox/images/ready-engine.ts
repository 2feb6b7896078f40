import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** An engine whose builds were shown to have no network access. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Control groups, or null if the engine does not put commands into those of this process. */
  readonly groups: ControlGroupTree | null;
  /** Folder in which the engine keeps its images. */
  readonly disk: string;
};
