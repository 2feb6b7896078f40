import type { OpenAPIObject } from '@nestjs/swagger';
import { problems } from '../../../edge/http/problems/problem.js';
import { planKinds } from '../../../events/repo-source.js';
import { type RefusalCode, refusalCodes } from '../../../kernel/refusals.js';
import { type Described, type DescribedResponse, listOperations } from './document.js';

function listProblemCodes(described: Described): ReadonlySet<RefusalCode> {
  const { operation } = described;
  return new Set([
    ...ofAny(described),
    ...ofSite(described),
    ...ofWrite(described),
    ...(operation['x-problems'] ?? []),
  ]);
}

const has = ({ operation }: Described, place: string, name: RegExp) =>
  operation.parameters?.some((parameter) => parameter.in === place && name.test(parameter.name)) ?? false;

function ofAny(described: Described): readonly RefusalCode[] {
  const { path, operation } = described;
  const route = operation['x-route'] ?? {};
  return [
    'invalid_request',
    // Even routes that require no sign-in refuse an invalid bearer token.
    'unauthenticated',
    ...(route.rate ? (['rate_limited'] as const) : []),
    // An access token can't be used for operations that require a session.
    ...(operation['x-takes-session'] || route.operator ? (['forbidden'] as const) : []),
    ...(route.operator || route.hidden || path.includes('{') ? (['not_found'] as const) : []),
    ...(route.problemPages && route.rate ? (['invalid_token', 'conflict'] as const) : []),
    ...(path.includes('/jobs/{id}') ? (['job_not_found', 'forbidden', 'edit_token_invalid'] as const) : []),
  ];
}

/** Error codes of operations on a site that does not exist or that the caller can't access. */
function ofSite(described: Described): readonly RefusalCode[] {
  const isOfSite = /^\/v1\/sites\/\{slug\}/.test(described.path) || has(described, 'query', /^slug$/);
  const isOfDeploy = has(described, 'query', /^(deployId|from|at)$/) || described.path.includes('{deployId}');
  return [
    ...(isOfSite ? (['site_not_found', 'forbidden', 'edit_token_invalid', 'site_expired', 'taken_down'] as const) : []),
    ...(isOfDeploy ? (['deploy_not_found'] as const) : []),
  ];
}

function ofWrite(described: Described): readonly RefusalCode[] {
  const { method, operation } = described;
  if (method === 'GET') return [];
  return [
    'cross_origin',
    'conflict',
    // Even operations that accept no body refuse a body of an unsupported type.
    'unsupported_media_type',
    ...(operation.requestBody ? (['too_large'] as const) : []),
    ...(operation['x-takes-if-match'] ? (['revision_mismatch'] as const) : []),
    ...(operation['x-takes-idempotency-key'] ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
  ];
}

const ProblemSchema = {
  type: 'object' as const,
  description:
    'Problem document (RFC 9457). `code` is a stable value from a fixed list. `errors` lists the invalid fields.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable'],
  additionalProperties: false,
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: [...refusalCodes, 'internal'] },
    requestId: { type: 'string' },
    retryable: { type: 'boolean' },
    suggestion: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        additionalProperties: false,
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    waiting: {
      type: 'integer',
      description: 'Number of waiting invocations. Present if a connector returns `quota_exceeded`.',
    },
    candidates: {
      type: 'array',
      description:
        'Folders that look like sites. Can be present with `plan_not_detected`. Set `rootDirectory` to one of them.',
      items: {
        type: 'object',
        required: ['rootDirectory', 'framework', 'kind', 'plan'],
        additionalProperties: false,
        properties: {
          rootDirectory: { type: 'string' },
          framework: { type: ['string', 'null'] },
          kind: { type: 'string', enum: [...planKinds] },
          plan: {
            $ref: '#/components/schemas/BuildPlan',
            description: 'The build plan that is used if the request specifies this `rootDirectory`.',
          },
        },
      },
    },
  },
};

const SCHEMA = { $ref: '#/components/schemas/Problem' };

const ANOTHER = 'Another error. See `code` for the reason.';
/** Error codes that any operation can return for any request. */
const OF_ANY: readonly (RefusalCode | 'internal')[] = [
  'client_outdated',
  'wrong_host',
  'unavailable',
  'storage_full',
  'internal',
];
const PROBLEM = { 'application/problem+json': { schema: SCHEMA } };
const PAGE = { 'text/html': { schema: { type: 'string' } } };

export function problemResponses(document: OpenAPIObject): OpenAPIObject {
  const responses: Record<string, DescribedResponse> = {
    Problem: { description: ANOTHER, 'x-codes': OF_ANY, content: PROBLEM },
    ProblemPage: { description: ANOTHER, 'x-codes': OF_ANY, content: { ...PROBLEM, ...PAGE } },
  };
  for (const described of listOperations(document)) {
    const { operation } = described;
    const hasPages = operation['x-route']?.problemPages === true;
    for (const [status, codes] of byStatus(listProblemCodes(described))) {
      const name = [status, ...codes, ...(hasPages ? ['page'] : [])].join('.');
      responses[name] ??= refusedBy(codes, hasPages);
      operation.responses[status] ??= { $ref: `#/components/responses/${name}` };
    }
    operation.responses.default = { $ref: `#/components/responses/${hasPages ? 'ProblemPage' : 'Problem'}` };
  }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: ProblemSchema as object },
    responses: { ...document.components?.responses, ...(responses as object) },
  };
  return document;
}

function byStatus(codes: ReadonlySet<RefusalCode>): ReadonlyMap<string, readonly RefusalCode[]> {
  const found = new Map<string, RefusalCode[]>();
  for (const code of refusalCodes) {
    const status = String(problems[code].status);
    if (codes.has(code)) found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

const refusedBy = (codes: readonly RefusalCode[], hasPages: boolean): DescribedResponse => ({
  description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
  // The error codes are not declared as an enum, because a later version may add codes and clients must still be able
  // to read them.
  'x-codes': codes,
  content: { ...PROBLEM, ...(hasPages && PAGE) },
});
