import type { OpenAPIObject } from '@nestjs/swagger';
import { type Described, operationsOf, type Parameter, type Schema } from './document.js';

const header = (name: string, description: string, schema: Schema = {}): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
});

const EDIT_TOKEN = header('x-svc-edit-token', 'The edit token of the site, while it has no owner.');
const IF_MATCH = header('if-match', 'The `etag` of the site as it was last seen: 412 if it has changed since.', {
  pattern: '^(?:\\*|(?:W/)?"?\\d{1,15}"?)$',
});
const IDEMPOTENCY_KEY = header(
  'idempotency-key',
  '8 to 255 characters: the same request sent again with it is answered as the first was.',
  { minLength: 8, maxLength: 255 },
);
const POSITION = header('stele-position', 'What a write answered, or a read: this read is not of before it.');

/** Lists the headers that an operation reads, whichever of its parts reads them. */
export function headerParameters(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    const told = operation.parameters ?? [];
    const further = headersOf(operation).filter(({ name }) => !told.some((parameter) => parameter.name === name));
    const own = told.filter(({ name }) => name !== '*').map((parameter) => optional(parameter));
    if (own.length + further.length > 0) operation.parameters = [...own, ...further];
  }
  return document;
}

function headersOf(operation: Described['operation']): readonly Parameter[] {
  return [
    ...(operation.security?.some((scheme) => 'editToken' in scheme) ? [EDIT_TOKEN] : []),
    ...(operation['x-takes-if-match'] ? [IF_MATCH] : []),
    ...(operation['x-takes-idempotency-key'] ? [IDEMPOTENCY_KEY] : []),
    ...(operation['x-reads-own-writes'] ? [POSITION] : []),
  ];
}

/** No header is needed to be answered at all, if only by a refusal. */
const optional = (parameter: Parameter): Parameter =>
  parameter.in === 'header' ? { ...parameter, required: parameter.required ?? false } : parameter;
