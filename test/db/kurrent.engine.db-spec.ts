import { KurrentEngine } from '../../src/store/kurrent.engine.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';
import { StandIn } from '../support/kurrent/stand-in.js';

eventStoreContract('KurrentDB (its stand-in)', async (options) => {
  const server = await StandIn.start();
  const store = new KurrentEngine({ url: server.url, ...options });
  await store.start();
  return {
    store,
    async close() {
      await store.stop();
      server.stop();
    },
  };
});
