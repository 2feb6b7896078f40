import type { OpenAPIObject } from '@nestjs/swagger';

type StreamedOperation = { requestBody?: unknown; 'x-request-body'?: unknown };

/** Puts the bodies that routes describe themselves (`x-request-body`) where OpenAPI has them. */
export function streamedBodies(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as StreamedOperation[]) {
      if (operation['x-request-body'] === undefined) continue;
      operation.requestBody = operation['x-request-body'];
      delete operation['x-request-body'];
    }
  }
  return document;
}
