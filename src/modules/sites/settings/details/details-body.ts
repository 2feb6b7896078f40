import { z } from 'zod';
import { singleLine } from '../../../../edge/http/api/schemas/texts.js';

/** Site details that owners can change. An empty string removes a detail. */
export const DetailsBody = z.strictObject({
  title: singleLine(120)
    .optional()
    .meta({ description: 'Title of the site, a single line of up to 120 characters. An empty string removes it.' }),
  description: singleLine(500).optional().meta({
    description: 'Description of the site, a single paragraph of up to 500 characters. An empty string removes it.',
  }),
  robots: z.enum(['index', 'noindex']).optional().meta({
    description:
      '`noindex` asks search engines not to index the site, with an `x-robots-tag` header on all of its responses.',
  }),
});
