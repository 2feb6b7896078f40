import { StandardSchemaValidationPipe } from '@nestjs/common';
import { invalidRequest, type SchemaIssue, toFaults } from '../../../../kernel/faults/schema-faults.js';
import type { Refusal } from '../../../../kernel/refusal.js';
import './schema-words.js';

class ValidationPipe extends StandardSchemaValidationPipe {
  /**
   * Does nothing. Nest would silently remove members called `constructor`, `prototype` and `__proto__` at any depth.
   * Our schemas reject unknown members, and where they allow any JSON, such as in agents' responses, it must be kept as
   * it was sent.
   */
  protected override stripProtoKeys(): void {}
}

/**
 * Validates each parameter against the schema that its decorator names. Refuses with `invalid_request` and lists every
 * invalid field.
 */
export const validationPipe = new ValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => validationRefusal(issues),
});

/** Returns a refusal with `invalid_request` that lists every invalid field. For bodies that a handler reads itself. */
export function validationRefusal(issues: readonly SchemaIssue[]): Refusal {
  return invalidRequest(toFaults(issues));
}
