import type { OpenAPIObject } from '@nestjs/swagger';
import { planKinds } from '../../../events/repo-source.js';
import { refusalCodes } from '../../../kernel/refusal.js';

const ProblemSchema = {
  type: 'object' as const,
  description: 'RFC 9457. `code` is stable and one of a closed list; `errors` names the fields that are wrong.',
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
    waiting: { type: 'integer', description: 'Of `quota_exceeded` at a connector: how many invocations wait.' },
    candidates: {
      type: 'array',
      description: 'Of `plan_not_detected`: folders that look like sites, one of which may be named as rootDirectory.',
      items: {
        type: 'object',
        required: ['rootDirectory', 'framework', 'kind'],
        additionalProperties: false,
        properties: {
          rootDirectory: { type: 'string' },
          framework: { type: ['string', 'null'] },
          kind: { type: 'string', enum: [...planKinds] },
        },
      },
    },
  },
};

/** Every operation may answer a problem, and every problem has one shape. */
export function problemResponses(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: ProblemSchema },
    responses: {
      Problem: {
        description: 'Refused; `code` says why.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      if (operation && typeof operation === 'object' && 'responses' in operation) {
        operation.responses = { ...operation.responses, default: { $ref: '#/components/responses/Problem' } };
      }
    }
  }
  return document;
}
