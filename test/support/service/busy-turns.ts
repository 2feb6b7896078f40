import { setImmediate } from 'node:timers';
import type { Turns } from '../../../src/edge/http/server/connections/turns.js';

/** Simulates an address that has used up its quota: every new connection has to wait for its turn. */
export class BusyTurns implements Turns {
  take(act: () => void): boolean {
    setImmediate(() => setImmediate(act));
    return false;
  }

  isOver(): boolean {
    return true;
  }
}
