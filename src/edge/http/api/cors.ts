import type { FastifyRequest } from 'fastify';

/**
 * Paths for the operator and this machine. They are closed to other origins: a page in the operator’s browser could
 * request them too.
 */
const CLOSED = /^\/(dev|internal|metrics)([/?]|$)/;

/** Without `access-control-allow-credentials`: a browser then withholds every response to a request with a cookie. */
const ANSWER = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'etag, stele-position, stele-revision, retry-after, ratelimit, x-request-id, idempotency-replayed, www-authenticate, upload-offset, upload-complete, upload-length',
};

const ALLOWED_HEADERS =
  'authorization, content-type, x-svc-edit-token, x-svc-upload-token, upload-offset, upload-complete, upload-length, idempotency-key, if-match, last-event-id, stele-position, mcp-protocol-version, mcp-method, mcp-name';

/** Two hours, in seconds: Chromium’s maximum. */
const MAX_AGE = '7200';

/**
 * The headers that let scripts of any origin read a response (docs/interface/conventions.md, "Cross-origin requests");
 * none on the closed paths.
 */
export function corsHeaders({ routeOptions, url }: FastifyRequest): Record<string, string> {
  // By the route’s own pattern where there is one: the router matches after decoding, so that `/%64ev/…` reaches it
  // too.
  return CLOSED.test(routeOptions.url ?? url) ? {} : ANSWER;
}

/**
 * The headers that a preflight is answered with in addition (Fetch standard, 4.9): all methods of this path, whichever
 * was asked for.
 */
export function preflightHeaders(request: FastifyRequest, methods: readonly string[]): Record<string, string> {
  const isPreflight = request.headers.origin !== undefined && 'access-control-request-method' in request.headers;
  if (!isPreflight || CLOSED.test(request.url)) return {};
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': MAX_AGE,
  };
}
