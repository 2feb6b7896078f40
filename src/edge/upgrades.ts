import type { IncomingMessage } from 'node:http';
import type { Destination } from './hosts.js';
import { namesOneHost } from './one-host.js';

/**
 * Which requests become WebSockets: those to the service’s own host, at a path that takes them. All others stay ordinary
 * requests, answered by the site or the service they are for. Nest’s adapter would destroy them, without a word.
 */
export const upgradesTo =
  (destination: (host: string | undefined) => Destination, paths: readonly string[]) =>
  (request: IncomingMessage): boolean => {
    const { method, headers, url = '/' } = request;
    return (
      method === 'GET' &&
      headers.upgrade?.trim().toLowerCase() === 'websocket' &&
      namesOneHost(request) &&
      destination(headers.host).kind === 'service' &&
      paths.includes(url.split('?', 1)[0] ?? '/')
    );
  };
