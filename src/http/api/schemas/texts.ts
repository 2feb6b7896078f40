import { z } from 'zod';

// What a text may hold, as expressions that stand in /openapi.json too. They are written with code points and without
// lookahead: generators of requests in other languages know neither `\p{Control}` nor how to look ahead.

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** What turns the direction of the text around it (Unicode, `Bidi_Control`). */
const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const NUL = '\\u0000';

/** No control characters: one line. */
export const ONE_LINE = new RegExp(`^[^${CONTROL}]*$`);

/** One line, without what turns the direction of the text around it. */
const ONE_STRAIGHT_LINE = new RegExp(`^[^${CONTROL}${TURNING}]*$`);

/**
 * One line that turns nothing around it, with something that is not a blank: for /openapi.json alone, as some texts
 * would make it slow.
 */
const SAYS_SOMETHING_STRAIGHT = `^[^${CONTROL}${TURNING}]*[^\\s${CONTROL}${TURNING}][^${CONTROL}${TURNING}]*$`;

/**
 * What a person calls themselves or something of theirs, which stands in the words of the history: a line that turns nothing
 * of what stands around it.
 */
export const ShownName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(ONE_STRAIGHT_LINE, 'is one line, without control characters or any that change the direction of text')
  .refine((text) => text.isWellFormed(), 'must be Unicode text, without halves of characters')
  .meta({ pattern: SAYS_SOMETHING_STRAIGHT });

/** Something that is not a blank: of texts that are trimmed before they are measured. */
export const NOT_BLANK = '\\S';

/** Something that is not a blank, on lines of any number, without U+0000. */
export const SAYS_SOMETHING_IN_LINES = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** No U+0000, which neither a text in PostgreSQL nor an environment can hold. */
export const NO_NUL = new RegExp(`^[^${NUL}]*$`);

/** Neither blanks nor control characters. */
export const NO_BLANK = new RegExp(`^[^\\s${CONTROL}]+$`);

/** One of the names, or several with commas between. */
export const namesWithCommas = <Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .max(2_000)
    .regex(
      new RegExp(`^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`),
      `is none of ${names.join(', ')}, or several of them with commas between`,
    )
    .transform((given) => given.split(',').flatMap((each) => names.filter((name) => name === each)));
