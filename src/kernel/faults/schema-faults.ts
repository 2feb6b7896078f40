import { type Fault, Refusal } from '../refusal.js';

/** A validation error in the format of Standard Schema, which zod uses. */
export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Names of unknown members. zod reports all of them in a single issue. */
  readonly keys?: readonly string[] | undefined;
  /** zod's kind of the error. */
  readonly code?: string | undefined;
};

/**
 * Message for an unknown member. The member is named only in faults with this message: a schema with its own message,
 * such as the schema for secrets, may have to hide what was sent.
 */
export const UNKNOWN_MEMBER = 'is not a known field';

/** Formats `["files", 3, "path"]` as `files[3].path`. */
export const pathText = (path: SchemaIssue['path'] = []) =>
  path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join('');

/** Maximum length of a fault message, which can quote long parts of the request. */
const MAX_MESSAGE_CHARACTERS = 500;

const MAX_FAULTS = 20;

export function toFaults(issues: readonly SchemaIssue[]): Fault[] {
  return withoutLengthsOfWrongTypes(issues)
    .slice(0, MAX_FAULTS)
    .flatMap(({ path = [], message, keys }) =>
      keys && message === UNKNOWN_MEMBER
        ? keys.slice(0, MAX_FAULTS).map((key) => ({ path: [...path, key], message }))
        : [{ path, message }],
    )
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => ({ path: shortened(pathText(path)), message: shortened(message) }));
}

/**
 * Leaves out further issues of a value with the wrong type. zod also checks the length of such a value, and its message
 * would call the characters of a string the items of an array.
 */
function withoutLengthsOfWrongTypes(issues: readonly SchemaIssue[]): readonly SchemaIssue[] {
  const wrongTypes = new Set<string>();
  return issues.filter(({ path, code }) => {
    const isRepeated = wrongTypes.has(pathText(path));
    if (code === 'invalid_type') wrongTypes.add(pathText(path));
    return !isRepeated;
  });
}

/** Formats a fault as a sentence: `` `slug` is required and must be a string. `` */
export const faultText = ({ path, message }: Fault, whole = 'The request body') =>
  `${path ? `\`${path}\`` : whole} ${message}.`;

const shortened = (text: string) =>
  text.length > MAX_MESSAGE_CHARACTERS ? `${text.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…` : text;

/** Refuses with `invalid_request`. Lists all faults, and uses the first one as the detail. */
export function refuseInvalid(...faults: readonly Fault[]): never {
  throw invalidRequest(faults);
}

/**
 * Returns the refusal that `refuseInvalid` throws. For an unknown field, the refusal says where the known fields are
 * listed.
 */
export function invalidRequest(faults: readonly Fault[]): Refusal {
  const hasUnknown = faults.some(({ message }) => message === UNKNOWN_MEMBER);
  const more = hasUnknown ? { suggestion: 'See /openapi.json for the fields that this request accepts.' } : {};
  return new Refusal('invalid_request', faults[0] && faultText(faults[0]), faults, more);
}
