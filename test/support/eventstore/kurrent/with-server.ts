import { KurrentEngine } from '../../../../src/storage/store/kurrent/kurrent.engine.js';
import { digest, isChained, notes, readTo } from '../../../contracts/event-store.contract.js';
import { StandIn } from './stand-in.js';

export const recording = { catalogue: notes, isChained, digest };

export type WithServer = { readonly server: StandIn; readonly store: KurrentEngine; readonly said: string[] };

/** Runs a test with its own server and store. These tests mostly wait, so they can run concurrently. */
export const withServer = (work: (world: WithServer) => Promise<void>) => async () => {
  const server = await StandIn.start();
  const said: string[] = [];
  const store = new KurrentEngine({ url: server.url, say: (message) => said.push(message), ...recording });
  try {
    await store.start();
    await work({ server, store, said });
  } finally {
    await store.stop();
    server.stop();
  }
};

export const following = async (store: KurrentEngine, id: string) => {
  const from = await store.lastPosition();
  return readTo(
    (signal) => store.follow(from, signal),
    (event) => event.id === id,
  );
};
