import { setImmediate } from 'node:timers';
import type { Turns } from '../../../src/edge/http/server/connections/turns.js';

/** The turns of an address that has none left whenever a connection asks for its own: each waits for a later one. */
export class BusyTurns implements Turns {
  take(act: () => void): boolean {
    setImmediate(() => setImmediate(act));
    return false;
  }

  isOver(): boolean {
    return true;
  }
}
