import { z } from 'zod';
import { UNKNOWN_MEMBER } from '../../../kernel/faults/schema-faults.js';
import { formatNumber, plural } from '../../../kernel/output/quantities.js';

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

/** The unit in which the size of a value is limited, by its type. Numbers have none. */
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'field' };

/** Returns the predicate of a validation message ("must be a string"); undefined for issues that schemas word themselves. */
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
    default:
      return undefined;
  }
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

/** Makes these the messages of every schema in this process. */
z.config({ customError: schemaWords });
