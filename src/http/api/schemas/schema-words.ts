import { z } from 'zod';
import { UNKNOWN_MEMBER } from '../../../kernel/faults/schema-faults.js';

type Issue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

/** What is measured of a value, by what it is. A number is measured itself. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  object: ['member', 'members'],
};

/**
 * What a schema finds wrong, in words that go on from the name of the field as all refusals do; undefined for what zod
 * says best itself.
 */
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
  if (input === undefined) return kind ? `is missing: it must be ${kind}` : 'is missing';
  return kind && `must be ${kind}`;
}

function measured({ origin }: Issue & { readonly origin?: string }, size: number | bigint, bound: string): string {
  const unit = UNITS[origin ?? ''];
  if (!unit) return `must be ${bound} ${size}`;
  if (bound === 'at least' && Number(size) === 1) return 'must not be empty';
  return `must have ${bound} ${size} ${unit[Number(size) === 1 ? 0 : 1]}`;
}

const listed = (values: readonly string[]) =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** Has every schema of this process speak so. */
z.config({ customError: schemaWords });
