import type { OpenAPIObject } from '@nestjs/swagger';
import { type DescribedAnswer, operationsOf, type Schema } from './document.js';

type Header = { readonly description: string; readonly required?: true; readonly schema: Schema };

const text = (description: string, pattern: string): Header => ({ description, schema: { type: 'string', pattern } });

/** What clients read in the heads of answers, whatever it is that they asked. */
const headers = {
  'x-request-id': {
    ...text('Of this request, as the log of the service has it.', '^req_[0-9a-z]{26}$'),
    required: true,
  },
  etag: text('Of a site it is the revision, to be sent as `If-Match`.', '^(?:W/)?"[^"]*"$'),
  'stele-revision': text('The revision of the site after this.', '^\\d{1,15}$'),
  'stele-position': text('To be sent with a read that may not be of before this.', '^\\d{1,20}$'),
  'idempotency-replayed': text('This is the answer that was given before.', '^true$'),
  'retry-after': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  ratelimit: text('What is left, and after how many seconds all of it is there again.', '^"[a-z-]+";r=\\d+;t=\\d+$'),
  'ratelimit-policy': text('So many in so many seconds.', '^"[a-z-]+";q=\\d+;w=\\d+$'),
  'www-authenticate': text('Which credential is asked for.', '^(?:Basic|Bearer)'),
} satisfies Readonly<Record<string, Header>>;
type Name = keyof typeof headers;

/** Operations that answer with the site itself, with what was deployed, or with what callers keep. */
const WITH_ETAG = new Set(
  'getSite deploy redeploy sendUpload setAccess renameSite describeSite status statusFeed previewTemplate'.split(' '),
);
/** They are asked by the links of mails, and do something. */
const BY_LINK = new Set(['verifyClaim', 'acceptInvite']);

/** Says which headers the answers of each operation have, and those of every problem. */
export function answerHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const { operation, method, path } of operationsOf(document)) {
    const { 'x-route': route, 'x-reads-own-writes': reads, 'x-takes-idempotency-key': takesKey } = operation;
    const isWrite = (method !== 'GET' && path.startsWith('/v1/')) || BY_LINK.has(operation.operationId ?? '');
    const names: readonly Name[] = [
      ...(WITH_ETAG.has(operation.operationId ?? '') ? (['etag'] as const) : []),
      ...(isWrite ? (['stele-revision'] as const) : []),
      ...(isWrite || reads ? (['stele-position'] as const) : []),
      ...(takesKey ? (['idempotency-replayed'] as const) : []),
      ...(route?.rate ? (['ratelimit', 'ratelimit-policy'] as const) : []),
    ];
    for (const [status, answer] of Object.entries(operation.responses))
      if (!answer.$ref && path !== '/s/{slug}/{path}') addTo(answer, status, names);
  }
  for (const [name, answer] of Object.entries(
    (document.components?.responses ?? {}) as Record<string, DescribedAnswer>,
  ))
    addTo(answer, name.split('.', 1)[0] ?? '', ['ratelimit', 'ratelimit-policy', 'stele-position']);
  document.components = { ...document.components, headers };
  return document;
}

/** `status` is that of a problem, or its name where it stands for any. */
function addTo(answer: DescribedAnswer, status: string, names: readonly Name[]) {
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
