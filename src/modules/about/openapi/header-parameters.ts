import type { OpenAPIObject } from '@nestjs/swagger';
import { type Described, listOperations, type Parameter, type Schema } from './document.js';

const header = (name: string, description: string, schema: Schema = {}): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
});

const EDIT_TOKEN = header('x-svc-edit-token', 'Edit token of a site without an owner.');
const ifMatch = (failsIf: string) =>
  header('if-match', `The last known \`etag\` of the site. The request fails with 412 if, since then, ${failsIf}.`, {
    pattern: '^(?:\\*|(?:W/)?"?\\d{1,15}"?)$',
  });
const IDEMPOTENCY_KEY = header(
  'idempotency-key',
  'Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters.',
  { minLength: 8, maxLength: 255 },
);
const CLIENT = header(
  'stele-client',
  'Name and version of the program that sends the deploy, such as `stele-cli/0.1.0; agent=claude-code`. Up to 60 visible ASCII characters are stored and shown in the list of deploys and in the history.',
  { maxLength: 60 },
);
const POSITION = header(
  'stele-position',
  'The `stele-position` of an earlier response. The result of the read is at least as recent as that response.',
);

export function headerParameters(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of listOperations(document)) {
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
    ...(operation['x-takes-if-match'] ? [ifMatch(operation['x-takes-if-match'])] : []),
    ...(operation['x-takes-idempotency-key'] ? [IDEMPOTENCY_KEY] : []),
    ...(operation['x-takes-client-name'] ? [CLIENT] : []),
    ...(operation['x-reads-own-writes'] ? [POSITION] : []),
  ];
}

/**
 * Describes a header as optional unless its route says otherwise, because the service also responds to requests without
 * the header, if only with an error.
 */
const optional = (parameter: Parameter): Parameter =>
  parameter.in === 'header' ? { ...parameter, required: parameter.required ?? false } : parameter;
