// Starts an npm package as a competitor of the serving benchmark in its own process: `node peers.ts <name> <folder>`
// prints its port.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import fastifyStatic from '@fastify/static';
import { fastify } from 'fastify';
import serveHandler from 'serve-handler';
import sirv from 'sirv';
import { portOf } from './free-port.ts';

const [, , name = '', folder = ''] = process.argv;

const servers: Record<string, () => Server | Promise<Server>> = {
  /** sirv as in production: it lists files once, and uses existing brotli files. */
  sirv() {
    const handler = sirv(folder, { etag: true, brotli: true });
    return createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
  },
  'serve-handler': () =>
    createServer((request, response) =>
      serveHandler(request, response, { public: folder, etag: true, cleanUrls: false }),
    ).listen(0, '127.0.0.1'),
  async '@fastify/static'() {
    const app = fastify({ keepAliveTimeout: 65_000 });
    await app.register(fastifyStatic, { root: folder, preCompressed: true });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const server = await servers[name]?.();
if (server === undefined) throw new Error(`There is no peer ${name}.`);
server.keepAliveTimeout = 65_000;
if (!server.listening) await once(server, 'listening');
console.log(portOf(server));
process.on('SIGTERM', () => process.exit(0));
