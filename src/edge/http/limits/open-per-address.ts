import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import { type ClientAddress, networkOf } from './client-address.js';

/**
 * How many connections, or behind trusted proxies how many requests in progress, one address may have: a sixteenth of
 * what the process takes, and what the browsers of a large office have (six each) before a proxy is in front.
 */
const MOST = 1_024;

/** Counts what is open of each address (docs/interface/limits.md, "Connection limits"). */
class OpenPerAddress {
  readonly #open = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Counts one more of the address until `holder` emits `close`. False, without counting, if it has all it may. */
  take(address: string, holder: EventEmitter): boolean {
    const network = networkOf(address);
    const open = this.#open.get(network) ?? 0;
    if (open >= this.most) return false;
    this.#open.set(network, open + 1);
    holder.once('close', () => {
      const left = (this.#open.get(network) ?? 1) - 1;
      if (left > 0) this.#open.set(network, left);
      else this.#open.delete(network);
    });
    return true;
  }
}

/**
 * Whether a new connection may stay: not where its address has all it may. Those of trusted proxies always may, since
 * each speaks for many clients.
 */
export function admitConnections(clientAddress: ClientAddress, most = MOST): (socket: Socket) => boolean {
  const connections = new OpenPerAddress(most);
  return (socket) => {
    const address = clientAddress.ofConnection(socket);
    return address === null || connections.take(address, socket);
  };
}

/**
 * Refuses with `quota_exceeded` (429), before the body is read, a request of an address that has all the requests in
 * progress that it may behind trusted proxies: each of them occupies a connection of its proxy.
 */
export function limitRequestsInProgress(instance: FastifyInstance, clientAddress: ClientAddress, most = MOST) {
  const requests = new OpenPerAddress(most);
  instance.addHook('onRequest', async ({ raw }, reply) => {
    const address = clientAddress.behindProxy(raw);
    if (address === null || requests.take(address, reply.raw)) return;
    refuse('quota_exceeded', `An IP address can have at most ${plural(most, 'request')} in progress at the same time.`);
  });
}
