import type { ContainerEngine } from '../container/engine-socket.js';
import type { ControlGroups } from '../limits/control-groups.js';

/** An engine that was seen to build without a network, and what builds of this process have. */
export type ReadyEngine = Pick<ContainerEngine, 'docker' | 'isPodman'> & {
  /** Null where the engine puts commands into none of ours. */
  readonly groups: ControlGroups | null;
  /** Where it keeps its images. */
  readonly disk: string;
};
