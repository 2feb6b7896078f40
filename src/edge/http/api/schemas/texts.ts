import { z } from 'zod';
import { isStreamSafe, nfc } from '../../../../kernel/nfc.js';

// Patterns that also appear in /openapi.json. They avoid lookahead and `\p{Control}`, which some client generators
// reject.

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** Characters that change the direction of the surrounding text (Unicode property `Bidi_Control`). */
const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const NUL = '\\u0000';

export const ONE_LINE = new RegExp(`^[^${CONTROL}]*$`);

/**
 * Characters that a line shown beside other text must not contain, including Unicode's line and paragraph separators.
 */
const UNSHOWN = `${CONTROL}\\u2028\\u2029${TURNING}`;

const SHOWN_LINE = `^[^${UNSHOWN}]*$`;
const IS_SHOWN_LINE = new RegExp(SHOWN_LINE);

/** A non-blank line. Used only in /openapi.json, because matching this expression can take too long. */
const SHOWN_LINE_WITH_TEXT = `^[^${UNSHOWN}]*[^\\s${UNSHOWN}][^${UNSHOWN}]*$`;

/** NFC composes at most this many UTF-16 code units into one character. */
const UNITS_OF_A_CHARACTER = 4;

const NOT_WELL_FORMED = 'must be well-formed Unicode';

/** A string without lone surrogates, which canonical JSON cannot contain (RFC 8785 section 3.2.2.2). */
export const WellFormed = z.string().refine((text) => text.isWellFormed(), NOT_WELL_FORMED);

/**
 * A line of at most `most` UTF-16 units, without surrounding spaces and in NFC. It must not change the direction of the
 * surrounding text, because the history quotes it.
 */
export const singleLine = (most: number) =>
  z
    .string()
    // A string that is too long or has too many combining marks is left unchanged here and refused below.
    .overwrite((text) => nfc(text.trim(), UNITS_OF_A_CHARACTER * most) ?? text)
    .max(most)
    .refine(isStreamSafe, 'must not have more than 30 combining marks in a row')
    .refine(
      (text) => IS_SHOWN_LINE.test(text),
      'must be a single line without control characters or characters that change the text direction',
    )
    .refine((text) => text.isWellFormed(), NOT_WELL_FORMED)
    .meta({ pattern: SHOWN_LINE });

export const ShownName = singleLine(100).min(1).meta({ pattern: SHOWN_LINE_WITH_TEXT });

/** Matches a non-blank string. For strings that are trimmed before their length is checked. */
export const NOT_BLANK = '\\S';

/** Matches a non-blank string of any number of lines. */
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
