import { jest } from '@jest/globals';
import { KurrentEngine } from '../../src/storage/store/kurrent/kurrent.engine.js';
import { eventStoreContract, type OpenOptions } from '../contracts/event-store.contract.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { withOwnStreams } from '../support/eventstore/own-streams.js';

jest.setTimeout(120_000);

async function openedAt(url: string, options: OpenOptions, stopServer = () => {}) {
  const store = new KurrentEngine({ url, ...options });
  await store.start();
  return {
    store,
    async close() {
      await store.stop();
      stopServer();
    },
  };
}

eventStoreContract('EventStoreDB (its stand-in)', async (options) => {
  const server = await StandIn.start();
  // Raises the fake server's size limit, because the contract tests append larger events than the product does.
  server.mostBytes = 15_000_000;
  return openedAt(server.url, options, () => server.stop());
});

const real = process.env.EVENTSTORE_URL;
if (real) eventStoreContract('EventStoreDB at EVENTSTORE_URL', (options) => openedAt(withOwnStreams(real), options));
