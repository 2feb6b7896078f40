import { z } from 'zod';

// Patterns that also appear in /openapi.json, without lookahead and `\p{Control}`, which some client generators reject.

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** Characters that change the direction of the surrounding text (Unicode property `Bidi_Control`). */
const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const NUL = '\\u0000';

export const ONE_LINE = new RegExp(`^[^${CONTROL}]*$`);

const ONE_STRAIGHT_LINE = new RegExp(`^[^${CONTROL}${TURNING}]*$`);

/**
 * A non-blank line that does not change the text direction. Only for /openapi.json, because matching can take too long.
 */
const SAYS_SOMETHING_STRAIGHT = `^[^${CONTROL}${TURNING}]*[^\\s${CONTROL}${TURNING}][^${CONTROL}${TURNING}]*$`;

/** A name that a user chooses. It must not change the direction of the surrounding text in the history. */
export const ShownName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(
    ONE_STRAIGHT_LINE,
    'must be a single line without control characters or characters that change the text direction',
  )
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .meta({ pattern: SAYS_SOMETHING_STRAIGHT });

/** A non-blank string. For strings that are trimmed before their length is checked. */
export const NOT_BLANK = '\\S';

/** A non-blank string with any number of lines. */
export const SAYS_SOMETHING_IN_LINES = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Rejects U+0000, which neither PostgreSQL strings nor environment variables can contain. */
export const NO_NUL = new RegExp(`^[^${NUL}]*$`);

export const NO_BLANK = new RegExp(`^[^\\s${CONTROL}]+$`);

export const namesWithCommas = <Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .max(2_000)
    .regex(
      new RegExp(`^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`),
      `must be one or more of ${names.join(', ')}, separated by commas`,
    )
    .transform((given) => given.split(',').flatMap((each) => names.filter((name) => name === each)));
