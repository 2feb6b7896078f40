import { StandardSchemaValidationPipe } from '@nestjs/common';
import { type Fault, Refusal } from '../kernel/refusal.js';

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** `["files", 3, "path"]` as people write it: `files[3].path`. */
export const pathText = (path: Issue['path'] = []) =>
  path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join('');

/** What is wrong with a body or a query, at most twenty faults of it: enough to correct a request by. */
export function faultsOf(issues: readonly Issue[]): Fault[] {
  return issues.slice(0, 20).map(({ path, message }) => ({ path: pathText(path), message }));
}

/** Lets in what fits the schema at the parameter, and refuses the rest with the fields named. */
export const shapes = new StandardSchemaValidationPipe({
  exceptionFactory: (issues: readonly Issue[]) => {
    const faults = faultsOf(issues);
    const first = faults[0];
    return new Refusal('invalid_request', first && `${first.path ? `${first.path}: ` : ''}${first.message}.`, faults);
  },
});
