import type { Recorded } from '../../../src/kernel/event-store.js';

export function deployIdOf(event: Recorded | undefined): string | null {
  const deployId: unknown = event && Object(event.data).deployId;
  return typeof deployId === 'string' ? deployId : null;
}
