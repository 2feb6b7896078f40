import { expect, it } from '@jest/globals';
import type { SteadyClients } from './steady-clients.js';

/** Actions that damage the service. The key describes the action and is part of the test's title. */
export type Disasters = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Defines a test for each disaster. The disaster happens while all clients send requests, and afterwards each kind of
 * request succeeds again. Without `npm run long-tests`, tests only the disasters in `sample`.
 */
export function survives(disasters: Disasters, clients: () => SteadyClients, sample = Object.keys(disasters)) {
  const isTested = (name: string) => process.env.STELE_TEST_SIZE === 'full' || sample.includes(name);
  let isGoing = false;
  it.each(Object.entries(disasters).filter(([name]) => isTested(name)))(
    'during this disaster, every client gets a response or is told when to retry: %s',
    async (_, disaster) => {
      // The clients are started before the first disaster and keep running.
      if (!isGoing) await clients().goOn();
      isGoing = true;
      await disaster();
      await clients().goOn();
      expect(clients().wrong).toEqual([]);
    },
    180_000,
  );
}
