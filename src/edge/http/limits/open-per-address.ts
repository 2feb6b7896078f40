import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import { type ClientAddress, computeNetwork } from './client-address.js';

/**
 * Maximum number of open connections per IP address, and of requests in progress for one address behind trusted
 * proxies. It is a sixteenth of the process’s maximum number of connections, and enough for a large office.
 */
const MAX_OPEN = 1_024;

/** Counts connections or requests per address (docs/interface/limits.md, "Connection limits"). */
class OpenPerAddress {
  readonly #open = new Map<string, number>();

  constructor(private readonly most: number) {}

  /**
   * Counts `holder`, a connection or a response, for the address until `holder` emits `close`. If the limit has been
   * reached, returns false and counts nothing.
   */
  take(address: string, holder: EventEmitter): boolean {
    const network = computeNetwork(address);
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

/** Decides whether to keep a connection. Connections of trusted proxies are kept, because each serves many clients. */
export function admitConnections(clientAddress: ClientAddress, most = MAX_OPEN): (socket: Socket) => boolean {
  const connections = new OpenPerAddress(most);
  return (socket) => {
    const address = clientAddress.ofConnection(socket);
    return address === null || connections.take(address, socket);
  };
}

/**
 * Refuses a request with `quota_exceeded` (429) before reading its body, if its address already has too many requests
 * in progress through trusted proxies. Each of those requests occupies one of a proxy’s connections.
 */
export function limitRequestsInProgress(instance: FastifyInstance, clientAddress: ClientAddress, most = MAX_OPEN) {
  const requests = new OpenPerAddress(most);
  instance.addHook('onRequest', async ({ raw }, reply) => {
    const address = clientAddress.behindProxy(raw);
    if (address === null || requests.take(address, reply.raw)) return;
    refuse('quota_exceeded', `An IP address can have at most ${plural(most, 'request')} in progress at the same time.`);
  });
}
