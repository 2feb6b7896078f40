import type { OpenAPIObject } from '@nestjs/swagger';

type DescribedOperation = {
  responses?: Record<string, { content?: Record<string, unknown> }>;
  'x-also-answers'?: Record<string, unknown>;
};

/** Puts the media types that routes answer besides the one of their schema (`x-also-answers`) where OpenAPI has them. */
export function otherAnswers(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as DescribedOperation[]) {
      const answer = operation.responses?.[200];
      if (operation['x-also-answers'] === undefined || !answer) continue;
      answer.content = { ...answer.content, ...operation['x-also-answers'] };
      delete operation['x-also-answers'];
    }
  }
  return document;
}
