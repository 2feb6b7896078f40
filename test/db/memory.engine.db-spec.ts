import { MemoryEngine } from '../../src/storage/store/memory/memory.engine.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';

eventStoreContract('memory', async ({ catalogue, isChained, digest }) => ({
  store: new MemoryEngine(catalogue, isChained, digest),
  close: async () => undefined,
}));
