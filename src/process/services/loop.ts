import type { Service } from '../../nest/lifecycle.js';
import type { ProcessRole } from '../../nest/roles.js';

/** What goes on by itself as long as the process does. */
export type Loop = { start(signal: AbortSignal): unknown; stopped?(): Promise<void> };

/** A loop as a service of the processes that have the role. */
export const loop = (name: string, role: ProcessRole, looping: Loop): Service => ({
  name,
  roles: [role],
  start: async (signal) => void (await looping.start(signal)),
  stop: async () => looping.stopped?.(),
});
