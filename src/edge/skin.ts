import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuse } from '../kernel/refusal.js';
import type { Addresses } from './addresses.js';
import { rememberRoutes } from './allowed-methods.js';
import { hostsOf } from './hosts.js';

const JSON_LIMIT = 65_536;

/** What an API answer tells browsers (field notes, “Untrusted pages beside an API”). */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** Everything that holds for every API route: who may talk to this host, which headers go out, how bodies come in. */
export function putOnSkin(instance: FastifyInstance, addresses: Addresses) {
  const destination = hostsOf(addresses);
  const headers = addresses.baseUrl.startsWith('https:')
    ? { ...HEADERS, 'strict-transport-security': 'max-age=31536000' }
    : HEADERS;

  rememberRoutes(instance);

  instance.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
    const path = request.url.split('?', 1)[0];
    if (path === '/health' || path === '/ready') return;
    if (destination(request.headers.host).kind !== 'service') {
      refuse(
        'wrong_host',
        `This server does not answer for ${String(request.headers.host ?? 'a request without a host').slice(0, 260)}.`,
      );
    }
  });

  instance.addHook('onResponse', async ({ raw }) => letGo(raw));

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request, payload, done) => {
    if (isStreamed(request)) done(null);
    else readJson(request, payload).then((body) => done(null, body), done);
  });
}

/** Routes whose handlers read the body themselves, as it arrives. */
const isStreamed = (request: FastifyRequest) =>
  (request.routeOptions.config as { readonly body?: string }).body === 'streamed';

async function readJson(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<unknown> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') refuse('unsupported_media_type', 'Send application/json.');
  if (Number(request.headers['content-length'] ?? 0) > JSON_LIMIT)
    refuse('too_large', `A body here may have ${JSON_LIMIT} bytes at most.`);

  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.raw === payload ? request.raw.iterator({ destroyOnReturn: false }) : payload) {
    size += piece.length;
    if (size > JSON_LIMIT) refuse('too_large', `A body here may have ${JSON_LIMIT} bytes at most.`);
    pieces.push(piece as Buffer);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return refuse('invalid_request', 'The body is not JSON.', [{ path: '', message: 'is not JSON' }]);
  }
}

/** After an early answer the rest of the request is read and thrown away, for five seconds at most. */
function letGo(raw: FastifyRequest['raw']) {
  if (raw.complete || raw.destroyed) return;
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), 5_000);
  raw.once('close', () => clearTimeout(timer));
}
