import { KurrentEngine } from '../../../../src/storage/store/kurrent/kurrent.engine.js';
import { digest, isChained, notes, readTo } from '../../../contracts/event-store.contract.js';
import { StandIn } from './stand-in.js';

export const recording = { catalogue: notes, isChained, digest };

export type WithServer = { readonly server: StandIn; readonly store: KurrentEngine; readonly said: string[] };

/** A test with a server and a store of its own: most of them wait for that server, so that all may wait at once. */
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

/** Follows from where the store stands until the event with this id. */
export const following = async (store: KurrentEngine, id: string) => {
  const from = await store.lastPosition();
  return readTo(
    (signal) => store.follow(from, signal),
    (event) => event.id === id,
  );
};
