import { setImmediate } from 'node:timers';
import type { Turns } from '../../../src/edge/http/server/connections/turns.js';

/** Simulates an address that has used up its time on the event loop, so that data received from it is handled later. */
export class BusyTurns implements Turns {
  take(act: () => void): boolean {
    setImmediate(() => setImmediate(act));
    return false;
  }

  isOver(): boolean {
    return true;
  }
}
