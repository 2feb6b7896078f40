import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document.js';

/** Lists the operations that can follow a successful response (OpenAPI 3.1, "Link Object"). */
export function links(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    const next = operation['x-links'];
    if (next === undefined) continue;
    for (const [status, response] of Object.entries(operation.responses))
      if (status.startsWith('2')) response.links = Object.fromEntries(next.map((link) => [link.operationId, link]));
  }
  return document;
}
