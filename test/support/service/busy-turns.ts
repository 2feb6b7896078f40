import { setImmediate } from 'node:timers';
import type { Turns } from '../../../src/edge/http/server/connections/turns.js';

/** The turns of an address that has used up its quota: each connection waits for a later turn. */
export class BusyTurns implements Turns {
  take(act: () => void): boolean {
    setImmediate(() => setImmediate(act));
    return false;
  }

  isOver(): boolean {
    return true;
  }
}
