import { expect, it } from '@jest/globals';
import type { SteadyClients } from './steady-clients.js';

/** By what happens, in the words of a test’s name. */
export type Disasters = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * A test for each: it happens while all clients send requests, and afterwards each kind of request succeeds again. Except
 * with `npm run long-tests`, only those in `sample` happen.
 */
export function survives(disasters: Disasters, clients: () => SteadyClients, sample = Object.keys(disasters)) {
  const isTested = (name: string) => process.env.STELE_TEST_SIZE === 'full' || sample.includes(name);
  let isGoing = false;
  it.each(Object.entries(disasters).filter(([name]) => isTested(name)))(
    '%s: every client gets a response, or a time to retry',
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
