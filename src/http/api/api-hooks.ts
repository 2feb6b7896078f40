import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../kernel/refusal.js';
import { pathOf } from '../problems/send-problem.js';
import { hostsOf, isNumeric } from '../server/hosts.js';
import { namesOneHost } from '../server/one-host.js';
import { wantsWebSocket } from '../server/web-socket.js';
import { allowedMethods, rememberRoutes } from './allowed-methods.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import { forgeryCheck } from './csrf.js';
import { apiHeaders, pageHeaders } from './header-sets.js';
import { optionsOf } from './route-options.js';
import type { ServiceUrls } from './service-urls.js';

/** Of a JSON body that no route reads itself. Bytes. */
export const JSON_LIMIT = 65_536;

/**
 * Everything that holds for every API route: who may talk to this host, which headers go out, how bodies come in. A
 * process that is not the API's refuses them all.
 */
export function registerApiHooks(instance: FastifyInstance, urls: ServiceUrls, isApi = true) {
  const destination = hostsOf(urls);

  const isForged = forgeryCheck(urls.baseUrl);
  let closing = false;

  rememberRoutes(instance);

  instance.addHook('preClose', async () => {
    closing = true;
  });

  instance.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request, urls.baseUrl));
    if (closing) refuse('unavailable', 'This server is stopping.');
    if (!namesOneHost(request.raw)) refuse('invalid_request', 'A request names one host, once, and a path on it.');
    if (!isForAnyName(request) && destination(request.headers.host).kind !== 'service') {
      refuse(
        'wrong_host',
        `This server does not answer for ${String(request.headers.host ?? 'a request without a host').slice(0, 260)}.`,
      );
    }
    if (!isApi && !isWatched(request))
      refuse('wrong_host', 'This process does not answer the interface: another one of this service does.');
    if (isForged(request))
      refuse('cross_origin', 'With a session’s cookie only pages of this service change anything.');
    if (request.headers['service-worker'] !== undefined) refuse('forbidden', 'Nothing here is a service worker.');
    if (wantsWebSocket(request.headers)) refuse('not_found', `There is no WebSocket at ${pathOf(request)}.`);
    if (request.method === 'OPTIONS') return options(request, reply);
    refuseNul(request);
  });

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request, payload, done) => {
    if (optionsOf(request.routeOptions).body === 'streamed' || request.is404) done(null);
    else readBody(request, payload).then((body) => done(null, body), done);
  });
}

function headersOf(request: FastifyRequest, baseUrl: string) {
  return optionsOf(request.routeOptions).page
    ? pageHeaders(request.id, baseUrl)
    : { ...apiHeaders(request.id, baseUrl), ...corsHeaders(request) };
}

/** What every process tells of itself, whatever its part of the work. */
const isWatched = ({ routeOptions: { url } }: FastifyRequest) =>
  url === '/health' || url === '/ready' || url === '/metrics';

/** What monitors the process asks by whatever name it has for it. */
function isForAnyName({ routeOptions: { url }, headers }: FastifyRequest): boolean {
  // A page whose name was made to lead here (DNS rebinding) has that name, and not a number, in its Host.
  return url === '/health' || url === '/ready' || (url === '/metrics' && isNumeric(headers.host));
}

/** No name has a NUL, and the database knows no text with one. */
function refuseNul({ url }: FastifyRequest) {
  if (!url.includes('%00')) return;
  const path = url.split('?', 1)[0] ?? '';
  if (path.includes('%00')) refuse('not_found', `There is nothing at ${path}.`);
  refuse('invalid_request', 'The query has a character that text cannot have.');
}

/** `OPTIONS` is answered by what the router knows, never by a route of its own (RFC 9110 section 9.3.7). */
function options(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url === '*') return reply.status(204).send();
  const methods = allowedMethods(request);
  if (methods.length === 0) refuse('not_found', `There is nothing at ${pathOf(request)}.`);
  return reply
    .status(204)
    .headers({ allow: methods.join(', '), ...preflightHeaders(request, methods) })
    .send();
}

/** JSON; on the routes that forms of our own pages are sent to, their fields too. */
async function readBody(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<unknown> {
  const { jsonBytes: limit = JSON_LIMIT, form: takesForms } = optionsOf(request.routeOptions);
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded' && takesForms;
  if (type !== 'application/json' && !isForm) refuse('unsupported_media_type', 'Send application/json.');
  if (Number(request.headers['content-length'] ?? 0) > limit)
    refuse('too_large', `A body here may have ${limit} bytes at most.`);

  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request.raw === payload ? request.raw.iterator({ destroyOnReturn: false }) : payload) {
      size += piece.length;
      if (size > limit) refuse('too_large', `A body here may have ${limit} bytes at most.`);
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    // A client that left in the middle is no fault of ours.
    if (request.raw.destroyed && !request.raw.complete) refuse('invalid_request', 'The body was cut short.');
    throw error;
  }
  if (isForm) return Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString('utf8')));
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return refuse('invalid_request', 'The body is not JSON.', [{ path: '', message: 'is not JSON' }]);
  }
}
