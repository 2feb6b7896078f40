import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { readPath } from '../problems/send-problem.js';
import { hostClassifier, isIpAddress } from '../server/hosts/hosts.js';
import { namesOneHost } from '../server/hosts/one-host.js';
import { wantsWebSocket } from '../server/web-socket.js';
import { allowedMethods, isOfAnotherRoute, rememberRoutes, unknownPath, unknownRoute } from './allowed-methods.js';
import { readBody } from './body/read-body.js';
import { checkCommandVersion } from './command-version.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import { forgeryCheck } from './csrf.js';
import { apiHeaders, pageHeaders } from './header-sets.js';
import { readRouteOptions } from './route-options.js';
import type { ServiceUrls } from './service-urls.js';

/**
 * Registers the behaviour that all API routes share. Without `isApi`, refuses all routes except those for monitoring
 * and those on sites' hosts. Without `isServing`, refuses the routes on sites' hosts.
 */
export function registerApiHooks(instance: FastifyInstance, urls: ServiceUrls, isApi = true, isServing = true) {
  const hostKindOf = hostClassifier(urls);

  const isForged = forgeryCheck(urls.baseUrl);
  let closing = false;

  rememberRoutes(instance);

  // End each response body with a newline, so that a terminal’s next prompt starts on its own line.
  instance.setReplySerializer((payload) => `${JSON.stringify(payload)}\n`);

  instance.addHook('preClose', async () => {
    closing = true;
  });

  instance.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request, urls.baseUrl));
    if (closing) refuse('unavailable', 'This server is shutting down. Try again shortly.');
    if (!namesOneHost(request.raw))
      refuse(
        'invalid_request',
        'A request must have exactly one valid Host header, and its URL must be a path or have the same host.',
      );
    const isOfService = hostKindOf(request.headers.host).kind === 'service';
    const { siteHost } = readRouteOptions(request.routeOptions);
    if (siteHost && isOfService) refuse('not_found', 'This path is only available on a site’s own host.');
    if (siteHost && isServing) return;
    if (!isForAnyName(request) && !isOfService) {
      refuse(
        'wrong_host',
        `This server does not serve ${String(request.headers.host ?? 'requests without a host').slice(0, 260)}.`,
        [],
        { suggestion: `Use ${urls.baseUrl}. Operators set the host in STELE_BASE_URL.` },
      );
    }
    if (!isApi && !isMonitoring(request))
      refuse('wrong_host', 'This process does not serve the API. Send the request to a process with the role “api”.');
    if (isForged(request))
      refuse(
        'cross_origin',
        'Requests with a session cookie can make changes only if they come from one of this service’s pages.',
      );
    if (request.headers['service-worker'] !== undefined)
      refuse('forbidden', 'This service does not provide service workers.');
    if (wantsWebSocket(request.headers)) refuse('not_found', `${readPath(request)} is not a WebSocket endpoint.`);
    if (request.method === 'OPTIONS') return options(request, reply);
    if (request.url.startsWith('/v1/')) checkCommandVersion(request, reply, urls.baseUrl);
    refuseNul(request);
    if (isOfAnotherRoute(request)) throw unknownRoute(request, reply);
  });

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request, payload, done) => {
    if (readRouteOptions(request.routeOptions).body === 'streamed' || request.is404) done(null);
    else readBody(request, payload).then((body) => done(null, body), done);
  });
}

function headersOf(request: FastifyRequest, baseUrl: string) {
  const { page, siteHost } = readRouteOptions(request.routeOptions);
  if (siteHost) return apiHeaders(request.id, baseUrl);
  return page
    ? pageHeaders(request.id, baseUrl, page === 'live')
    : { ...apiHeaders(request.id, baseUrl), ...corsHeaders(request) };
}

const isMonitoring = ({ routeOptions: { url } }: FastifyRequest) =>
  url === '/health' || url === '/ready' || url === '/metrics';

/**
 * Reports whether to accept a request regardless of its host name. Monitoring systems and reverse proxies may use names
 * that the service does not know.
 */
function isForAnyName({ routeOptions, headers }: FastifyRequest): boolean {
  const { url } = routeOptions;
  // For metrics, the Host header must contain an IP address. In a DNS rebinding attack, it contains the attacker’s host
  // name.
  return url === '/health' || url === '/ready' || (url === '/metrics' && isIpAddress(headers.host));
}

/** Refuses a URL with a NUL character, which PostgreSQL cannot store. */
function refuseNul({ url }: FastifyRequest) {
  if (!url.includes('%00')) return;
  const path = url.split('?', 1)[0] ?? '';
  if (path.includes('%00')) throw unknownPath(path);
  refuse('invalid_request', 'The query contains a NUL character (%00).');
}

/** Responds to `OPTIONS` with the methods that the path supports (RFC 9110 section 9.3.7). */
function options(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url === '*') return reply.status(204).send();
  const methods = allowedMethods(request);
  if (methods.length === 0) throw unknownPath(readPath(request));
  return reply
    .status(204)
    .headers({ allow: methods.join(', '), ...preflightHeaders(request, methods) })
    .send();
}
