import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { innerCallerOf } from '../../../../edge/http/inner/inner-caller.js';
import { SLUG } from '../../../../kernel/slug.js';

const Slug = z.string().meta({
  description: 'Slug of the site: lowercase letters and digits, with hyphens between them.',
  pattern: SLUG.source,
  example: 'amber-otter-4821',
});

const Publish = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .meta({
    description: '`false` stores a redeploy without making it live. You can make it live later with a rollback.',
  });

const Message = z
  .string()
  .max(200)
  .transform((text) => text.toWellFormed())
  .optional()
  .meta({ description: 'Message to record in the history.' });

const Mode = z.enum(['replace', 'merge']).default('replace').meta({
  description:
    '`replace` replaces all of the site’s files. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file.',
});

const Expires = z.string().optional().meta({
  description:
    'Time after which a new anonymous site expires: digits followed by s, m, h or d, from 1s to 30d. Digits alone are seconds.',
  pattern: '^\\d{1,9}[smhd]?$',
  example: '2h',
});

/** What the query of a deploy asks for: of one that may make a site. */
export const DeployPostQuery = z.object({
  slug: Slug.optional(),
  expires: Expires,
  mode: Mode,
  publish: Publish,
  message: Message,
});
/** What the query of a redeploy asks for. */
export const DeployPatchQuery = z.object({ slug: Slug, mode: Mode, publish: Publish, message: Message });

type AskedDeploy = { readonly mode: string; readonly publish: boolean; readonly message?: string | undefined };

/** What the query asks for, as publishing knows it. The tools of agents ask from inside. */
export const deployOptions = ({ mode, publish, message }: AskedDeploy, request: FastifyRequest | null) => ({
  source: request !== null && innerCallerOf(request.raw) !== null ? ('mcp' as const) : ('upload' as const),
  merge: mode === 'merge',
  publish,
  message: message ?? null,
});
