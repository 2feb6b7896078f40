import { StandardSchemaValidationPipe } from '@nestjs/common';
import { invalidRequest, type SchemaIssue, toFaults } from '../../../../kernel/faults/schema-faults.js';
import type { Refusal } from '../../../../kernel/refusal.js';
import './schema-words.js';

class ValidationPipe extends StandardSchemaValidationPipe {
  /**
   * Turns off Nest’s silent removal of members called `constructor`, `prototype` and `__proto__`. Our schemas reject
   * unknown members. Where they allow any JSON, all of it must be kept.
   */
  protected override stripProtoKeys(): void {}
}

/**
 * Validates each parameter against its decorator's schema. Refuses with `invalid_request`, listing all invalid fields.
 */
export const validationPipe = new ValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => validationRefusal(issues),
});

/** Returns an `invalid_request` refusal that lists every invalid field, for bodies that a handler reads itself. */
export function validationRefusal(issues: readonly SchemaIssue[]): Refusal {
  return invalidRequest(toFaults(issues));
}
