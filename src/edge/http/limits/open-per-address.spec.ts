import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { ClientAddress } from './client-address.js';
import { admitConnections, limitRequestsInProgress } from './open-per-address.js';

describe('Connections', () => {
  let server: Server;
  const opened: Socket[] = [];

  const listen = async (clientAddress: ClientAddress) => {
    const admit = admitConnections(clientAddress, 2);
    server = createServer((socket) => (admit(socket) ? socket.write('in') : socket.destroy())).listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    opened.push(socket);
    return socket;
  };
  const isIn = async (socket: Socket) =>
    Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);

  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('the number of connections from one address is limited, and a new one is accepted once another closes', async () => {
    await listen(new ClientAddress([]));
    const [first, second] = [open(), open()];
    expect([await isIn(first), await isIn(second), await isIn(open())]).toEqual([true, true, false]);
    first.destroy();
    while (!(await isIn(open())));
    expect(await isIn(open())).toBe(false);
  });

  it('connections from a trusted proxy are not counted', async () => {
    await listen(new ClientAddress(['127.0.0.1']));
    for (let n = 0; n < 5; n++) expect(await isIn(open())).toBe(true);
  });
});

describe('Requests in progress', () => {
  let app: FastifyInstance;
  let answer: () => void;
  let answered: Promise<void>;

  beforeEach(async () => {
    ({ promise: answered, resolve: answer } = Promise.withResolvers<void>());
    app = fastify();
    limitRequestsInProgress(app, new ClientAddress(['127.0.0.1']), 2);
    app.get('/', async () => {
      await answered;
      return 'done';
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  const ask = async (address?: string) => {
    const { port } = app.server.address() as AddressInfo;
    const headers: Record<string, string> = address ? { 'x-forwarded-for': address } : {};
    return (await fetch(`http://127.0.0.1:${port}/`, { headers })).status;
  };
  /** Status of a refusal when no error handler is installed. */
  const REFUSED = 500;

  it('requests in progress are limited for each client behind a trusted proxy', async () => {
    const waiting = Array.from({ length: 3 }, () => ask('192.0.2.1'));
    const others = Promise.all(['192.0.2.2', '192.0.2.2', '2001:db8::1'].map(ask));
    // These addresses belong to one IPv6 /64 network and count as one client. The refused request is the first to get a
    // response.
    const network = Array.from({ length: 3 }, (_, n) => ask(`2001:db8:0:1::${n}`));
    expect(await Promise.race(waiting)).toBe(REFUSED);
    expect(await Promise.race(network)).toBe(REFUSED);
    answer();
    await Promise.all(network);
    expect((await Promise.all(waiting)).sort()).toEqual([200, 200, REFUSED]);
    expect(await others).toEqual([200, 200, 200]);
    expect(await ask('192.0.2.1')).toBe(200);
  });

  it('requests in progress are not limited if the proxy names no client', async () => {
    const waiting = Promise.all(Array.from({ length: 5 }, () => ask()));
    answer();
    expect(await waiting).toEqual(Array.from({ length: 5 }, () => 200));
  });
});
