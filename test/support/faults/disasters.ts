import { expect, it } from '@jest/globals';
import type { SteadyClients } from './steady-clients.js';

/** By what happens, in the words of a test’s name. */
export type Disasters = Readonly<Record<string, () => Promise<unknown>>>;

/** A test for each: it happens while all clients ask, and afterwards each kind of request has its successes again. */
export function survives(disasters: Disasters, clients: () => SteadyClients) {
  let isGoing = false;
  it.each(Object.entries(disasters))(
    '%s: whoever asks is answered, or told when to come back',
    async (_, disaster) => {
      // Before the next ones they go on since the one before.
      if (!isGoing) await clients().goOn();
      isGoing = true;
      await disaster();
      await clients().goOn();
      expect(clients().wrong).toEqual([]);
    },
    60_000,
  );
}
