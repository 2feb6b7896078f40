import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { openFastConnections } from '../../../src/edge/fast/fast-connections.js';
import { AT_ONCE } from '../../../src/edge/http/server/connections/turns.js';
import { hostClassifier } from '../../../src/edge/http/server/hosts/hosts.js';
import { HttpServer, type HttpServerOptions } from '../../../src/edge/http/server/http-server.js';

/**
 * Starts the product's HTTP server on a free loopback port, with `framework` as its request handler. Its public address
 * is `http://stele.example`.
 */
export async function bareHttpServer(
  framework: RequestListener,
  {
    handler,
    ...own
  }: Partial<HttpServerOptions> & { readonly handler?: Parameters<HttpServer['setFirstHandler']>[0] } = {},
): Promise<Server> {
  const httpServer = new HttpServer({
    hostKindOf: hostClassifier({ baseUrl: 'http://stele.example', siteDomain: 'sites.example' }),
    admit: () => true,
    turnsOf: () => AT_ONCE,
    gateways: ['/v1/live'],
    refuseTunnel: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    answerMalformed: (_fault, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    openConnections: openFastConnections(async () => null),
    ...own,
  });
  if (handler) httpServer.setFirstHandler(handler);
  const server = httpServer.serverFactory(framework);
  server.on('clientError', httpServer.clientErrorHandler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
