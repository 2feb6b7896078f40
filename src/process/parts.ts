import { Lifecycle } from './nest/lifecycle.js';
import { KeptParts } from './parts/kept.parts.js';
import { LiveParts } from './parts/live.parts.js';
import { LogParts } from './parts/log.parts.js';
import { ReadParts } from './parts/read.parts.js';
import { WorkParts } from './parts/work.parts.js';
import { Surroundings } from './process-context.js';

/** In the order in which they start; they stop in the opposite one. */
const PARTS = [LogParts, KeptParts, ReadParts, WorkParts, LiveParts];

/** What runs as long as the process does, by its roles. */
export const parts = [
  ...PARTS,
  {
    provide: Lifecycle,
    inject: [Surroundings, ...PARTS],
    useFactory: ({ settings }: Surroundings, ...groups: InstanceType<(typeof PARTS)[number]>[]) =>
      new Lifecycle(
        settings.roles,
        groups.flatMap((group) => group.list()),
      ),
  },
];
