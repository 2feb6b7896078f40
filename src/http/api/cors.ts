import type { FastifyRequest } from 'fastify';

/** Paths for this machine and its operator. A page of any origin in the operator's browser could ask for them too. */
const CLOSED = /^\/(dev|internal|metrics)([/?]|$)/;

/** Never `access-control-allow-credentials`: a browser then hands over nothing that came with a cookie. */
const ANSWER = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'etag, stele-position, stele-revision, retry-after, ratelimit, x-request-id, idempotency-replayed',
};

const ALLOWED_HEADERS =
  'authorization, content-type, x-svc-edit-token, idempotency-key, if-match, last-event-id, stele-position';

/** Two hours: more is cut to that by Chromium. */
const MAX_AGE = '7200';

/** What an answer says to scripts of other origins: that any may read it, but for the closed paths. */
export function crossOriginHeaders({ routeOptions, url }: FastifyRequest): Record<string, string> {
  // By the route's own pattern, where there is a route: it is matched after decoding, so `/%64ev/…` reaches it too.
  return CLOSED.test(routeOptions.url ?? url) ? {} : ANSWER;
}

/** What a preflight is answered in addition (Fetch standard, 4.9): the methods of this path, whichever was asked for. */
export function preflightHeaders(request: FastifyRequest, methods: readonly string[]): Record<string, string> {
  const asked = request.headers.origin !== undefined && 'access-control-request-method' in request.headers;
  if (!asked || CLOSED.test(request.url)) return {};
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': MAX_AGE,
  };
}
