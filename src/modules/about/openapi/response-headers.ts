import type { OpenAPIObject } from '@nestjs/swagger';
import { type DescribedResponse, listOperations, type Schema } from './document.js';

type Header = { readonly description: string; readonly required?: true; readonly schema: Schema };

const text = (description: string, pattern: string): Header => ({ description, schema: { type: 'string', pattern } });

const headers = {
  'x-request-id': {
    ...text('ID of the request, as it appears in the service log.', '^req_[0-9a-z]{26}$'),
    required: true,
  },
  etag: text(
    'ETag of the response. For a site, this is its revision, which you can send as `If-Match`.',
    '^(?:W/)?"[^"]*"$',
  ),
  'stele-revision': text('Revision of the site after this request.', '^\\d{1,15}$'),
  'stele-position': text(
    'Position of this response in the event log. Send it with later reads so that they do not return an older state.',
    '^\\d{1,20}$',
  ),
  'idempotency-replayed': text(
    'Present if this is the stored response to an earlier request with the same idempotency key.',
    '^true$',
  ),
  'retry-after': { description: 'Seconds to wait before the next request.', schema: { type: 'integer', minimum: 0 } },
  ratelimit: text(
    'Number of requests remaining, and seconds until the full limit is available again.',
    '^"[a-z-]+";r=\\d+;t=\\d+$',
  ),
  'ratelimit-policy': text('The limit and its window in seconds.', '^"[a-z-]+";q=\\d+;w=\\d+$'),
  'www-authenticate': text('Authentication scheme that the request requires.', '^(?:Basic|Bearer)'),
} satisfies Readonly<Record<string, Header>>;
type Name = keyof typeof headers;

/** GET operations that change state. They can't use another method, because they are opened from links in emails. */
const BY_LINK = new Set(['verifyClaim', 'acceptInvite']);

export function responseHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const { operation, method, path } of listOperations(document)) {
    const {
      'x-route': route,
      'x-reads-own-writes': reads,
      'x-takes-idempotency-key': takesKey,
      'x-has-etag': hasETag,
    } = operation;
    const isWrite = (method !== 'GET' && path.startsWith('/v1/')) || BY_LINK.has(operation.operationId ?? '');
    const names: readonly Name[] = [
      ...(hasETag ? (['etag'] as const) : []),
      ...(isWrite ? (['stele-revision'] as const) : []),
      ...(isWrite || reads ? (['stele-position'] as const) : []),
      ...(takesKey ? (['idempotency-replayed'] as const) : []),
      ...(route?.rate ? (['ratelimit', 'ratelimit-policy'] as const) : []),
    ];
    for (const [status, answer] of Object.entries(operation.responses))
      if (!answer.$ref && path !== '/s/{slug}/{path}') addTo(answer, status, names);
  }
  for (const [name, answer] of Object.entries(
    (document.components?.responses ?? {}) as Record<string, DescribedResponse>,
  ))
    addTo(answer, name.split('.', 1)[0] ?? '', ['ratelimit', 'ratelimit-policy', 'stele-position']);
  document.components = { ...document.components, headers };
  return document;
}

/**
 * Adds headers to a response. `status` is an HTTP status, or the name of a response that applies to any error status.
 */
function addTo(answer: DescribedResponse, status: string, names: readonly Name[]) {
  const isAny = !/^\d+$/.test(status);
  const all: readonly Name[] = [
    'x-request-id',
    ...names,
    ...(status === '401' || isAny ? (['www-authenticate'] as const) : []),
    ...(['202', '429', '503'].includes(status) || isAny ? (['retry-after'] as const) : []),
  ];
  const refs = all.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  answer.headers = { ...Object.fromEntries(refs), ...answer.headers };
}
