import { SharedTurns } from '../../../src/http/server/reading/turns.js';

/** The turns of an address that has none left whenever a connection asks for its own: each waits for a later one. */
export class BusyTurns extends SharedTurns {
  override take(act: () => void): boolean {
    for (let n = 0; n < 8; n++) super.take(() => undefined);
    return super.take(act);
  }
}
