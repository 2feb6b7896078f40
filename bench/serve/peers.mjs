// One of the peers from npm, in a process of its own: `node peers.mjs <name> <folder>` prints the port it listens on.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import fastifyStatic from '@fastify/static';
import serveHandler from 'serve-handler';
import sirv from 'sirv';

const [, , name, folder] = process.argv;
const { fastify } = createRequire(new URL('../../package.json', import.meta.url))('fastify');

const servers = {
  /** As for production: files are listed once, and brotli made beforehand is used. */
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

const server = await servers[name]();
server.keepAliveTimeout = 65_000;
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
console.log(server.address().port);
process.on('SIGTERM', () => process.exit(0));
