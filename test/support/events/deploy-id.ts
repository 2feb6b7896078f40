import type { Recorded } from '../../../src/kernel/event-store.js';

/** Returns the ID of the deploy that an event is about, or null. */
export function deployIdOf(event: Recorded | undefined): string | null {
  const deployId: unknown = event && Object(event.data).deployId;
  return typeof deployId === 'string' ? deployId : null;
}
