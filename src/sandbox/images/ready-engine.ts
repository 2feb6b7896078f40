import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** A container engine whose builds were tested and found to have no network access. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** The control groups of this process. Null if the engine does not run commands in them. */
  readonly groups: ControlGroupTree | null;
  /** Folder in which the engine keeps its images. */
  readonly disk: string;
};
