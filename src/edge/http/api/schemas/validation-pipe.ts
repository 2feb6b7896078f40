import { StandardSchemaValidationPipe } from '@nestjs/common';
import { invalidRequest, type SchemaIssue, toFaults } from '../../../../kernel/faults/schema-faults.js';
import type { Refusal } from '../../../../kernel/refusal.js';
import './schema-words.js';

class ValidationPipe extends StandardSchemaValidationPipe {
  /**
   * Nest silently removes members called `constructor`, `prototype` and `__proto__` at any depth. Our schemas reject
   * unknown members, and where any JSON is allowed, such as in the responses of agents, it is kept as it was sent.
   */
  protected override stripProtoKeys(): void {}
}

/**
 * Validates each parameter against the schema named by its decorator. Refuses with `invalid_request` and lists every
 * invalid field.
 */
export const validationPipe = new ValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => validationRefusal(issues),
});

/** Refuses with `invalid_request` and a fault for each field. For bodies that a handler reads itself. */
export function validationRefusal(issues: readonly SchemaIssue[]): Refusal {
  return invalidRequest(toFaults(issues));
}
