import { z } from 'zod';
import { turnsDirection } from '../../../content/generation/documents/clean-text.js';
import { having, ifHaving, lacking } from '../../../edge/http/api/schemas/having.js';
import { NOT_BLANK } from '../../../edge/http/api/schemas/texts.js';
import { SLUG } from '../../../kernel/slug.js';

/** Pattern of a title: not blank, and without characters that change the text direction. */
const TITLE = (() => {
  const turning = '\\u202a-\\u202e\\u2066-\\u2069';
  return `^[^${turning}]*[^\\s${turning}][^${turning}]*$`;
})();

export const MAX_PROMPT_CHARACTERS = 8_000;

/**
 * JSON Schema for /openapi.json that says which fields of a request can be combined, such as `prompt` and `base`.
 * `misfits` enforces the same rules.
 */
const together = {
  ...ifHaving('prompt', lacking('template', 'parameters'), { ...having('template'), ...lacking('base') }),
  dependentSchemas: { slug: { required: ['deploy'], properties: { deploy: { const: true } } } },
};

export const GenerateBody = z
  .strictObject({
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(MAX_PROMPT_CHARACTERS)
      .transform((text) => text.toWellFormed())
      .optional()
      .meta({
        description: 'Description of the page. It is sent to the model and not stored.',
        pattern: NOT_BLANK,
      }),
    template: z.string().max(100).optional().meta({ description: 'Name of a template to use instead of a prompt.' }),
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Values for the template, as described by its `parameters` schema.' }),
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((text) => !turnsDirection(text), 'must not contain invisible characters that change the text direction')
      .optional()
      .meta({ description: 'The `<title>` of the page.', pattern: TITLE }),
    base: z.string().max(100).optional().meta({
      description:
        'ID of a deploy whose `index.html` the model edits according to the prompt. Requires a role on the deploy’s site.',
    }),
    deploy: z.boolean().default(false).meta({ description: 'Whether to publish the page immediately.' }),
    slug: z.string().optional().meta({
      description: 'Slug of a new site, or of a site that you can edit. Only with `deploy`.',
      pattern: SLUG.source,
    }),
  })
  .superRefine((body, context) => {
    for (const { path, message } of misfits(body)) context.addIssue({ code: 'custom', path: [path], message });
  })
  .meta({ id: 'GenerateBody', ...together });

export type GenerateRequest = z.output<typeof GenerateBody>;

type Members = Readonly<Partial<Record<'prompt' | 'template' | 'parameters' | 'base' | 'slug', unknown>>> & {
  readonly deploy: boolean;
};

/** Yields a fault for each field of a request that is missing or must not be combined with another field. */
function* misfits({ prompt, template, parameters, base, deploy, slug }: Members) {
  if (prompt === undefined && template === undefined)
    yield { path: 'prompt', message: 'is required unless `template` is sent' };
  if (prompt !== undefined && template !== undefined)
    yield { path: 'template', message: 'must not be sent together with `prompt`' };
  if (template === undefined && parameters !== undefined)
    yield { path: 'parameters', message: 'must not be sent without `template`' };
  if (prompt === undefined && base !== undefined) yield { path: 'base', message: 'must not be sent without `prompt`' };
  if (slug !== undefined && !deploy) yield { path: 'slug', message: 'must not be sent without `"deploy": true`' };
}
