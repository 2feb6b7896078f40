import { z } from 'zod';
import { isStreamSafe, nfc } from '../../../../kernel/nfc.js';

/** Control characters, characters that change the text direction, and unpaired surrogates. */
const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Pattern for /openapi.json that excludes control characters and characters that change the text direction. */
const SEEN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$';

/** NFC composes at most this many UTF-16 code units into one character. */
const UNITS_OF_A_CHARACTER = 4;

const line = (most: number) =>
  z
    .string()
    // A string that is too long or has too many combining marks is left unchanged here and refused below.
    .overwrite((text) => nfc(text.trim(), UNITS_OF_A_CHARACTER * most) ?? text)
    .max(most)
    .refine(isStreamSafe, { error: 'must not have more than 30 combining marks in a row' })
    .refine((text) => !UNSEEN.test(text), {
      error:
        'must not contain control characters, line breaks, bidirectional formatting characters or unpaired surrogates',
    })
    .meta({ pattern: SEEN });

/** Site details that owners can change. An empty string removes a detail. */
export const DetailsBody = z.strictObject({
  title: line(120)
    .optional()
    .meta({ description: 'Title of the site, a single line of up to 120 characters. An empty string removes it.' }),
  description: line(500).optional().meta({
    description: 'Description of the site, a single paragraph of up to 500 characters. An empty string removes it.',
  }),
  robots: z.enum(['index', 'noindex']).optional().meta({
    description:
      '`noindex` asks search engines not to index the site, with an `x-robots-tag` header on all of its responses.',
  }),
});
