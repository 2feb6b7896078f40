import { StandardSchemaValidationPipe } from '@nestjs/common';
import { faultsOf, type SchemaIssue } from '../../kernel/faults/schema-faults.js';
import { Refusal } from '../../kernel/refusal.js';

/** Lets in what fits the schema at the parameter, and refuses the rest with the fields named. */
export const shapes = new StandardSchemaValidationPipe({
  exceptionFactory: (issues: readonly SchemaIssue[]) => {
    const faults = faultsOf(issues);
    const first = faults[0];
    return new Refusal('invalid_request', first && `${first.path ? `${first.path}: ` : ''}${first.message}.`, faults);
  },
});
