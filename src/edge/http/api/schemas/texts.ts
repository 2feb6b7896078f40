import { z } from 'zod';

// String patterns that also appear in /openapi.json. They use code points and no lookahead, because client generators
// in other languages support neither `\p{Control}` nor lookahead.

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** Characters that change the direction of the surrounding text (Unicode property `Bidi_Control`). */
const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const NUL = '\\u0000';

/** A single line without control characters. */
export const ONE_LINE = new RegExp(`^[^${CONTROL}]*$`);

/** A single line without characters that change the text direction. */
const ONE_STRAIGHT_LINE = new RegExp(`^[^${CONTROL}${TURNING}]*$`);

/**
 * A non-blank line without characters that change the text direction. Use it only for /openapi.json, because some
 * strings take too long to match.
 */
const SAYS_SOMETHING_STRAIGHT = `^[^${CONTROL}${TURNING}]*[^\\s${CONTROL}${TURNING}][^${CONTROL}${TURNING}]*$`;

/**
 * A display name that a user chooses. The history shows it, so it must not change the direction of the surrounding
 * text.
 */
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

/** A non-blank string. Use it for strings that are trimmed before their length is checked. */
export const NOT_BLANK = '\\S';

/** A non-blank string that can have any number of lines, without U+0000. */
export const SAYS_SOMETHING_IN_LINES = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Rejects U+0000, which neither PostgreSQL strings nor environment variables can contain. */
export const NO_NUL = new RegExp(`^[^${NUL}]*$`);

/** Rejects white space and control characters. */
export const NO_BLANK = new RegExp(`^[^\\s${CONTROL}]+$`);

/** Returns a pattern for one or more of the names, separated by commas. */
export const namesWithCommas = <Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .max(2_000)
    .regex(
      new RegExp(`^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`),
      `must be one or more of ${names.join(', ')}, separated by commas`,
    )
    .transform((given) => given.split(',').flatMap((each) => names.filter((name) => name === each)));
