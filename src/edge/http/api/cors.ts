import type { FastifyRequest } from 'fastify';

/**
 * Paths that are meant for the operator or for clients on this machine. Pages of other origins must not read their
 * responses.
 */
const CLOSED = /^\/(dev|internal|metrics)([/?]|$)/;

/** Omits `access-control-allow-credentials`, so that browsers withhold the response to any request with credentials. */
const ANSWER = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'etag, stele-position, stele-revision, retry-after, ratelimit, x-request-id, idempotency-replayed, www-authenticate, stele-cli-version, upload-offset, upload-complete, upload-length',
};

const ALLOWED_HEADERS =
  'authorization, content-type, x-svc-edit-token, x-svc-upload-token, upload-offset, upload-complete, upload-length, idempotency-key, if-match, last-event-id, stele-position, stele-client, mcp-protocol-version, mcp-method, mcp-name';

/** Two hours in seconds, which is Chromium’s maximum. */
const MAX_AGE = '7200';

/**
 * Returns headers that let scripts of any origin read the response (docs/interface/conventions.md, "Cross-origin
 * requests"). Returns no headers for paths that scripts of other origins must not read.
 */
export function corsHeaders({ routeOptions, url }: FastifyRequest): Record<string, string> {
  // Check the route’s pattern rather than the URL, because the router decodes the path: `/%64ev/…` reaches the same
  // route as `/dev/…`.
  return CLOSED.test(routeOptions.url ?? url) ? {} : ANSWER;
}

/** Additional headers for a preflight response (Fetch standard, 4.9). They list all methods of the path. */
export function preflightHeaders(request: FastifyRequest, methods: readonly string[]): Record<string, string> {
  const isPreflight = request.headers.origin !== undefined && 'access-control-request-method' in request.headers;
  if (!isPreflight || CLOSED.test(request.url)) return {};
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': MAX_AGE,
  };
}
