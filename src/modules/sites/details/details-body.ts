import { z } from 'zod';

/** Control characters, what turns the direction of the text around it, and halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const line = (most: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .max(most)
    .refine((text) => !UNSEEN.test(text), { error: 'has a control character, or another that is not to be seen' });

/** What may be said of a site. An empty text takes back what was said. */
export const DetailsBody = z.strictObject({
  title: line(120).optional().meta({ description: 'One line, up to 120 characters.' }),
  description: line(500).optional().meta({ description: 'One paragraph, up to 500 characters.' }),
  robots: z
    .enum(['index', 'noindex'])
    .optional()
    .meta({ description: '`noindex` asks search engines to leave the site out: `x-robots-tag` on all its answers.' }),
});
