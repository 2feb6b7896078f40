import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { Refusal } from '../../../kernel/refusal.js';
import { sendProblem } from '../problems/send-problem.js';
import { registerApiHooks } from './api-hooks.js';
import { ServiceUrls } from './service-urls.js';

const baseUrl = 'https://stele.example';
const urls = new ServiceUrls({ baseUrl, siteDomain: 'sites.example', mcpUrl: '', statusUrl: '' });
const host = 'stele.example';

let service: FastifyInstance;

beforeEach(() => {
  service = Fastify({ return503OnClosing: false });
  service.setErrorHandler((error, request, reply) =>
    sendProblem(request, reply, error instanceof Refusal ? error : new Refusal('invalid_request'), baseUrl),
  );
  registerApiHooks(service, urls);
});
afterEach(() => service.close());

describe('A page that belongs to the service, not to a hosted site', () => {
  beforeEach(() => {
    service.get('/page', { config: { page: true } }, (_request, reply) => reply.type('text/html').send('<form>'));
    service.post('/page', { config: { page: true } }, () => ({ changed: true }));
  });

  it('a service page may use its own scripts, styles and forms, but other origins cannot frame or read it', async () => {
    const { headers } = await service.inject({ url: '/page', headers: { host } });
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'self'; script-src https://stele.example/assets/; form-action 'self'",
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('a service page cannot be loaded as a service worker', async () =>
    expect(
      (await service.inject({ url: '/page', headers: { host, 'service-worker': 'script' } })).json(),
    ).toMatchObject({ status: 403, code: 'forbidden' }));

  it('a service page may use the session cookie to make changes, unlike pages of other origins', async () => {
    const post = async (headers: Record<string, string>) =>
      (await service.inject({ method: 'POST', url: '/page', headers: { host, ...headers } })).statusCode;
    const cookie = '__Host-stele_session=token';
    expect(await post({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await post({ cookie, origin: baseUrl })).toBe(200);
    expect(await post({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post({ cookie, origin: 'https://otter.sites.example' })).toBe(403);
    expect(await post({ origin: 'https://otter.sites.example' })).toBe(200);
  });
});

it('A path allows only the methods of the most specific route that matches it', async () => {
  service.post('/things/access', () => ({}));
  service.delete('/things/:name', () => ({}));
  service.post('/things/:name', () => ({}));
  const allowed = async (url: string) =>
    (await service.inject({ method: 'OPTIONS', url, headers: { host } })).headers.allow;
  expect(await allowed('/things/access')).toBe('OPTIONS, POST');
  expect(await allowed('/things/other')).toBe('DELETE, OPTIONS, POST');
  const deleted = async (url: string) => {
    const { statusCode, headers } = await service.inject({ method: 'DELETE', url, headers: { host } });
    return [statusCode, headers.allow];
  };
  expect(await deleted('/things/access?a=b')).toEqual([405, 'OPTIONS, POST']);
  expect(await deleted('/things/other')).toEqual([200, undefined]);
});

it('A service that is stopping refuses requests with a problem document and the usual headers', async () => {
  let release = () => {};
  let entered = () => {};
  const inside = new Promise<void>((resolve) => (entered = resolve));
  service.get('/slow', async () => {
    entered();
    await new Promise<void>((resolve) => (release = resolve));
    return { done: true };
  });
  const stopping = new Promise<void>((resolve) => service.addHook('preClose', async () => resolve()));
  await service.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((service.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const answers = text(socket);
  socket.write(`GET /slow HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await inside;
  const stopped = service.close();
  await stopping;
  socket.write(`GET /slow HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const second = once(service.server, 'request');
  await second;
  release();
  socket.end();

  const refused = (await answers).split('HTTP/1.1 ')[2];
  expect(refused).toMatch(/^503 /);
  expect(refused).toContain('"code":"unavailable"');
  expect(refused).toContain("content-security-policy: default-src 'none'");
  await stopped;
});
