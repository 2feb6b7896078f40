import { type Fault, Refusal } from '../refusal.js';

/** One thing that a schema finds wrong with a value, in the form that Standard Schema gives it (zod, for one). */
export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Of members that a schema does not name, which it finds together (zod): their names. */
  readonly keys?: readonly string[] | undefined;
};

/**
 * What is said of a member that a schema does not name. Only then is it named: a schema that has words of its own for it,
 * as that of secrets, may have a reason to say no name that was sent.
 */
export const UNKNOWN_MEMBER = 'is not a known field';

/** `["files", 3, "path"]` as people write it: `files[3].path`. */
export const pathText = (path: SchemaIssue['path'] = []) =>
  path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join('');

/** The longest text of a fault, in characters: what it quotes of a request may be as long as that. */
const LONGEST = 500;

/** The most faults that a refusal lists. */
const MAX_FAULTS = 20;

/** What is wrong with a body or a query, at most twenty faults of it: enough to correct a request by. */
export function faultsOf(issues: readonly SchemaIssue[]): Fault[] {
  return issues
    .slice(0, MAX_FAULTS)
    .flatMap(({ path = [], message, keys }) =>
      keys && message === UNKNOWN_MEMBER
        ? keys.slice(0, MAX_FAULTS).map((key) => ({ path: [...path, key], message }))
        : [{ path, message }],
    )
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => ({ path: shortened(pathText(path)), message: shortened(message) }));
}

/** A fault as one sentence: `` `slug` is required and must be a string. `` A fault without a path is about the whole body. */
export const faultText = ({ path, message }: Fault, whole = 'The request body') =>
  `${path ? `\`${path}\`` : whole} ${message}.`;

const shortened = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text);

/** Refuses with `invalid_request`: every fault by its field, and the first one as the detail. */
export function refuseInvalid(...faults: readonly Fault[]): never {
  throw invalidRequest(faults);
}

/** The refusal of `refuseInvalid`. A caller who sent an unknown field is told where the known ones are listed. */
export function invalidRequest(faults: readonly Fault[]): Refusal {
  const hasUnknown = faults.some(({ message }) => message === UNKNOWN_MEMBER);
  const more = hasUnknown ? { suggestion: 'See /openapi.json for the fields that this request accepts.' } : {};
  return new Refusal('invalid_request', faults[0] && faultText(faults[0]), faults, more);
}
