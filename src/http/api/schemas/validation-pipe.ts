import { StandardSchemaValidationPipe } from '@nestjs/common';
import { faultsOf, type SchemaIssue } from '../../../kernel/faults/schema-faults.js';
import { Refusal } from '../../../kernel/refusal.js';

/**
 * Checks each parameter against the schema that its decorator names. Refuses with `invalid_request`, which names every
 * field that does not fit.
 */
export const validationPipe = new StandardSchemaValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => validationRefusal(issues),
});

/** The same for a body that a handler reads itself. */
export function validationRefusal(issues: readonly SchemaIssue[]): Refusal {
  const faults = faultsOf(issues);
  const first = faults[0];
  return new Refusal('invalid_request', first && `${first.path ? `${first.path}: ` : ''}${first.message}.`, faults);
}
