import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../kernel/refusal.js';
import { pathOf } from '../problems/send-problem.js';
import { hostClassifier, isIpAddress } from '../server/hosts.js';
import { namesOneHost } from '../server/one-host.js';
import { wantsWebSocket } from '../server/web-socket.js';
import { allowedMethods, isOfAnotherRoute, rememberRoutes, unknownRoute } from './allowed-methods.js';
import { readBody } from './body/read-body.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import { forgeryCheck } from './csrf.js';
import { apiHeaders, pageHeaders } from './header-sets.js';
import { optionsOf } from './route-options.js';
import type { ServiceUrls } from './service-urls.js';

/**
 * Registers what holds for every API route: which hosts it answers for, which headers it sends, how it reads bodies.
 * With `isApi` false, for a process without the API role, every route is refused but those for monitoring and those on
 * the hosts of sites; these are refused where `isServing` is false.
 */
export function registerApiHooks(instance: FastifyInstance, urls: ServiceUrls, isApi = true, isServing = true) {
  const hostKindOf = hostClassifier(urls);

  const isForged = forgeryCheck(urls.baseUrl);
  let closing = false;

  rememberRoutes(instance);

  // In a terminal the next prompt begins a line of its own.
  instance.setReplySerializer((payload) => `${JSON.stringify(payload)}\n`);

  instance.addHook('preClose', async () => {
    closing = true;
  });

  instance.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request, urls.baseUrl));
    if (closing) refuse('unavailable', 'This server is stopping.');
    if (!namesOneHost(request.raw)) refuse('invalid_request', 'A request names one host, once, and a path on it.');
    const isOfService = hostKindOf(request.headers.host).kind === 'service';
    const { siteHost } = optionsOf(request.routeOptions);
    if (siteHost && isOfService) refuse('not_found', 'This is asked on the host of a site.');
    if (siteHost && isServing) return;
    if (!isForAnyName(request) && !isOfService) {
      refuse(
        'wrong_host',
        `This server does not answer for ${String(request.headers.host ?? 'a request without a host').slice(0, 260)}.`,
      );
    }
    if (!isApi && !isMonitoring(request))
      refuse('wrong_host', 'This process does not answer the interface: another one of this service does.');
    if (isForged(request))
      refuse('cross_origin', 'With a session’s cookie only pages of this service change anything.');
    if (request.headers['service-worker'] !== undefined) refuse('forbidden', 'Nothing here is a service worker.');
    if (wantsWebSocket(request.headers)) refuse('not_found', `There is no WebSocket at ${pathOf(request)}.`);
    if (request.method === 'OPTIONS') return options(request, reply);
    refuseNul(request);
    if (isOfAnotherRoute(request)) throw unknownRoute(request, reply);
  });

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request, payload, done) => {
    if (optionsOf(request.routeOptions).body === 'streamed' || request.is404) done(null);
    else readBody(request, payload).then((body) => done(null, body), done);
  });
}

function headersOf(request: FastifyRequest, baseUrl: string) {
  const { page, siteHost } = optionsOf(request.routeOptions);
  if (siteHost) return apiHeaders(request.id, baseUrl);
  return page
    ? pageHeaders(request.id, baseUrl, page === 'live')
    : { ...apiHeaders(request.id, baseUrl), ...corsHeaders(request) };
}

/** The routes that every process answers, whatever its roles. */
const isMonitoring = ({ routeOptions: { url } }: FastifyRequest) =>
  url === '/health' || url === '/ready' || url === '/metrics';

/** Monitoring, and what stands in front, reach a process by any name they have for it. */
function isForAnyName({ routeOptions, headers }: FastifyRequest): boolean {
  const { url } = routeOptions;
  // A page whose host name was made to resolve here (DNS rebinding) has that name in its Host, never an address.
  return url === '/health' || url === '/ready' || (url === '/metrics' && isIpAddress(headers.host));
}

/** No name contains a NUL, and PostgreSQL stores no text with one. */
function refuseNul({ url }: FastifyRequest) {
  if (!url.includes('%00')) return;
  const path = url.split('?', 1)[0] ?? '';
  if (path.includes('%00')) refuse('not_found', `There is nothing at ${path}.`);
  refuse('invalid_request', 'The query has a character that text cannot have.');
}

/** Answers `OPTIONS` from the routes that the router knows (RFC 9110 section 9.3.7). */
function options(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url === '*') return reply.status(204).send();
  const methods = allowedMethods(request);
  if (methods.length === 0) refuse('not_found', `There is nothing at ${pathOf(request)}.`);
  return reply
    .status(204)
    .headers({ allow: methods.join(', '), ...preflightHeaders(request, methods) })
    .send();
}
