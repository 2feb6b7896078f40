import { StandardSchemaValidationPipe } from '@nestjs/common';
import { faultsOf, invalidRequest, type SchemaIssue } from '../../../../kernel/faults/schema-faults.js';
import type { Refusal } from '../../../../kernel/refusal.js';
import './schema-words.js';

class ValidationPipe extends StandardSchemaValidationPipe {
  /**
   * Nest takes out members called `constructor`, `prototype` and `__proto__`, however deep, without a word. Ours refuse
   * what a schema does not name; where it takes any JSON, as what agents answer, that is kept as it was sent.
   */
  protected override stripProtoKeys(): void {}
}

/**
 * Checks each parameter against the schema that its decorator names. Refuses with `invalid_request`, which names every
 * field that does not fit.
 */
export const validationPipe = new ValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => validationRefusal(issues),
});

/** Refuses with `invalid_request` and every fault by its field; for a body that a handler reads itself. */
export function validationRefusal(issues: readonly SchemaIssue[]): Refusal {
  return invalidRequest(faultsOf(issues));
}
