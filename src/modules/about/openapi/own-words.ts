import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document.js';

/** Moves descriptions that routes wrote themselves, of bodies and further media types, to their place in OpenAPI. */
export function ownWords(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    const { 'x-request-body': body, 'x-also-answers': also } = operation;
    const answer = operation.responses[200];
    if (body !== undefined) operation.requestBody = body;
    if (also !== undefined && answer) answer.content = { ...answer.content, ...also };
  }
  return document;
}

const OWN =
  /^x-(route|takes-.*|reads-own-writes|access|events|lines|problems|request-body|also-answers|has-etag|links)$/;

/** Removes the traits that routes declared. */
export function withoutTraits(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    for (const name of Object.keys(operation)) if (OWN.test(name)) Reflect.deleteProperty(operation, name);
  }
  return document;
}
