import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroupTree } from '../limits/control-groups.js';

/** An engine whose builds were shown to have no network access. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Null if the engine does not put commands into this process’s control groups. */
  readonly groups: ControlGroupTree | null;
  /** Folder of the engine’s images. */
  readonly disk: string;
};
