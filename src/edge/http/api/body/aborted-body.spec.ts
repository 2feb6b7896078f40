import { type AddressInfo, connect } from 'node:net';
import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { Refusal } from '../../../../kernel/refusal.js';
import { registerApiHooks } from '../api-hooks.js';
import { ServiceUrls } from '../service-urls.js';

const baseUrl = 'http://stele.example';
const urls = new ServiceUrls({ baseUrl, siteDomain: 'sites.example', mcpUrl: '', statusUrl: '' });

it.each([
  ['whole', 2],
  ['cut short', 20],
])(
  'If a client disconnects during authentication, reading its body (%s) is a client error, not a server error',
  async (_, length) => {
    const service = Fastify({ forceCloseConnections: true });
    const thrown = Promise.withResolvers<unknown>();
    service.setErrorHandler(async (error) => thrown.resolve(error));
    registerApiHooks(service, urls);
    service.addHook('onRequest', async ({ raw }) => {
      socket.destroy();
      await new Promise((resolve) => raw.once('close', resolve));
    });
    service.post('/body', async () => thrown.resolve(null));
    await service.listen({ port: 0, host: '127.0.0.1' });

    const socket = connect((service.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      `POST /body HTTP/1.1\r\nhost: stele.example\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n{}`,
    );
    expect(await thrown.promise).toBeInstanceOf(Refusal);
    await service.close();
  },
);
