import { z } from 'zod';
import { UNKNOWN_MEMBER } from '../../../../kernel/faults/schema-faults.js';
import { formatNumber, plural } from '../../../../kernel/output/quantities.js';

type Issue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
};

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'field' };

/** Returns the predicate of a validation message, such as "must be a string". */
export function schemaWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongKind(issue);
    case 'invalid_value':
      return `must be ${listed(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return measured(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return measured(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'unrecognized_keys':
      return UNKNOWN_MEMBER;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has an invalid format';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid field name';
    case 'invalid_element':
      return 'has an invalid entry';
    case 'invalid_union':
      return optionsOf(issue);
    // A custom refinement without a message of its own.
    case 'custom':
      return 'is invalid';
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  url: 'must be a URL',
  uuid: 'must be a UUID',
  datetime: 'must be a time such as 2026-11-26T12:00:00Z',
  date: 'must be a date such as 2026-11-26',
  base64: 'must be base64',
  base64url: 'must be base64url',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  json_string: 'must be JSON',
};

type UnionIssue = Issue & {
  readonly options?: unknown;
  readonly errors?: readonly (readonly z.core.$ZodIssue[])[];
};

/** Returns a message that lists the options of a discriminated union, or the types that a union accepts. */
function optionsOf({ options, errors = [] }: UnionIssue): string {
  const known = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
  if (known.length > 0) return `must be ${listed(known.map((option) => JSON.stringify(option)))}`;
  const kinds = errors.map(([issue, ...others]) =>
    issue?.code === 'invalid_type' && issue.path.length + others.length === 0 ? KINDS[issue.expected] : undefined,
  );
  return kinds.length > 0 && kinds.every((kind) => kind !== undefined)
    ? `must be ${listed([...new Set(kinds)])}`
    : 'has an invalid value';
}

function wrongKind({ expected, input }: Issue & { readonly expected?: string }): string | undefined {
  const kind = KINDS[expected ?? ''];
  if (input === undefined) return kind ? `is required and must be ${kind}` : 'is required';
  return kind && `must be ${kind}`;
}

function measured({ origin }: Issue & { readonly origin?: string }, size: number | bigint, bound: string): string {
  const unit = UNITS[origin ?? ''];
  if (!unit) return `must be ${bound} ${formatNumber(size)}`;
  if (bound === 'at least' && Number(size) === 1) return 'must not be empty';
  return `must have ${bound} ${plural(size, unit)}`;
}

const listed = (values: readonly string[]) =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

z.config({ customError: schemaWords });
