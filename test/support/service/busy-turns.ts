import { setImmediate } from 'node:timers';
import type { Turns } from '../../../src/edge/http/server/connections/turns.js';

/** Turns of an address that has used up its quota, so that each connection waits for a later turn. */
export class BusyTurns implements Turns {
  take(act: () => void): boolean {
    setImmediate(() => setImmediate(act));
    return false;
  }

  isOver(): boolean {
    return true;
  }
}
